import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The installation's master keys: `current` seals; `previous` still opens what it sealed. */
export interface Keyring {
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

/** What a box belongs to. A box with another binding does not open. */
export interface SealBinding {
  readonly organizationId: string;
  readonly subjectId: string;
  readonly field: string;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class SealError extends Error {}

/** Encrypts with AES-256-GCM, bound to its owner: version, key id, iv, tag, text, in base64. */
export function seal(keyring: Keyring, binding: SealBinding, text: string): string {
  const key = derive(keyring.current, 'seal');
  const head = Buffer.concat([Buffer.of(VERSION), keyId(keyring.current)]);
  return Buffer.concat([head, encrypt(key, boundBytes(head, binding), Buffer.from(text))]).toString(
    'base64',
  );
}

/**
 * Opens a box with this binding. Throws SealError when it was altered, moved, or made with an
 * unknown key.
 */
export function unseal(keyring: Keyring, binding: SealBinding, box: string): string {
  const bytes = Buffer.from(box, 'base64');
  const head = bytes.subarray(0, 1 + KEY_ID_BYTES);
  const master = masterOf(keyring, head);
  if (bytes[0] !== VERSION || !master)
    throw new SealError('the box was made with a key that is not at hand');
  return decrypt(
    derive(master, 'seal'),
    boundBytes(head, binding),
    bytes.subarray(head.length),
  ).toString();
}

/** Encrypts with AES-256-GCM, bound to what it belongs to: iv, tag, content. */
export function encrypt(key: Buffer | KeyObject, bound: Buffer, content: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(bound);
  const body = cipher.update(content);
  cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/**
 * Throws SealError when it was altered, belongs to something else, or was encrypted with another
 * key.
 */
export function decrypt(key: Buffer | KeyObject, bound: Buffer, box: Buffer): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(bound);
    decipher.setAuthTag(box.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const content = decipher.update(box.subarray(IV_BYTES + TAG_BYTES));
    decipher.final();
    return content;
  } catch (cause) {
    throw new SealError('the box does not open here', { cause });
  }
}

/** Null in place of the SealError. */
export function unsealOrNull(keyring: Keyring, binding: SealBinding, box: string): string | null {
  try {
    return unseal(keyring, binding, box);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Whether the box was made with the current key, and so needs no rotation. */
export function isCurrent(keyring: Keyring, box: string): boolean {
  return Buffer.from(box, 'base64')
    .subarray(1, 1 + KEY_ID_BYTES)
    .equals(keyId(keyring.current));
}

/** A key for one purpose, derived from a master key or a data key. */
export function derive(master: Buffer | KeyObject, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'tianguis', purpose, 32));
}

/**
 * A whole number that identifies a master key, for records of which key was used.
 */
export function keyNumber(master: Buffer): number {
  return keyId(master).readUInt32BE();
}

/** Compares two secrets or signatures in a time that does not depend on where they differ. */
export function sameSecret(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(
    createHash('sha256').update(a).digest(),
    createHash('sha256').update(b).digest(),
  );
}

function masterOf(keyring: Keyring, head: Buffer): Buffer | null {
  const wanted = head.subarray(1);
  if (keyId(keyring.current).equals(wanted)) return keyring.current;
  if (keyring.previous && keyId(keyring.previous).equals(wanted)) return keyring.previous;
  return null;
}

function keyId(master: Buffer): Buffer {
  return createHash('sha256')
    .update('tianguis key id')
    .update(master)
    .digest()
    .subarray(0, KEY_ID_BYTES);
}

function boundBytes(head: Buffer, binding: SealBinding): Buffer {
  return Buffer.concat([
    head,
    Buffer.from(JSON.stringify([binding.organizationId, binding.subjectId, binding.field])),
  ]);
}
