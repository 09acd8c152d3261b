import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The house's keys: everything is made with `current`; `previous` still opens what it made. */
export interface Keyring {
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

/** What a box belongs to. A box moved to another place does not open. */
export interface SealedPlace {
  readonly organizationId: string;
  readonly subjectId: string;
  readonly field: string;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class SealError extends Error {}

/** Encrypts with AES-256-GCM, bound to its place: version, key id, iv, tag, text, in base64. */
export function seal(keyring: Keyring, place: SealedPlace, text: string): string {
  const key = derive(keyring.current, 'seal');
  const head = Buffer.concat([Buffer.of(VERSION), keyId(keyring.current)]);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(binding(head, place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, iv, cipher.getAuthTag(), body]).toString('base64');
}

/** Opens a box made for this place. Throws SealError when it was altered, moved, or made with an unknown key. */
export function unseal(keyring: Keyring, place: SealedPlace, box: string): string {
  const bytes = Buffer.from(box, 'base64');
  const head = bytes.subarray(0, 1 + KEY_ID_BYTES);
  const master = masterOf(keyring, head);
  if (bytes[0] !== VERSION || !master) throw new SealError('the box was made with a key that is not at hand');
  const iv = bytes.subarray(head.length, head.length + IV_BYTES);
  const tag = bytes.subarray(head.length + IV_BYTES, head.length + IV_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', derive(master, 'seal'), iv, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(binding(head, place));
    decipher.setAuthTag(tag);
    const body = bytes.subarray(head.length + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new SealError('the box does not open here', { cause });
  }
}

/** Null in place of the SealError. */
export function unsealOrNull(keyring: Keyring, place: SealedPlace, box: string): string | null {
  try {
    return unseal(keyring, place, box);
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

/** A key for one purpose, derived from a master key. */
export function derive(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'tianguis', purpose, 32));
}

/** A whole number that stands for a master key, where something else has to note which key it used. */
export function keyNumber(master: Buffer): number {
  return keyId(master).readUInt32BE();
}

/** Compares two secrets or signatures in a time that tells nothing about where they differ. */
export function sameSecret(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

function masterOf(keyring: Keyring, head: Buffer): Buffer | null {
  const wanted = head.subarray(1);
  if (keyId(keyring.current).equals(wanted)) return keyring.current;
  if (keyring.previous && keyId(keyring.previous).equals(wanted)) return keyring.previous;
  return null;
}

function keyId(master: Buffer): Buffer {
  return createHash('sha256').update('tianguis key id').update(master).digest().subarray(0, KEY_ID_BYTES);
}

function binding(head: Buffer, place: SealedPlace): Buffer {
  return Buffer.concat([
    head,
    Buffer.from(JSON.stringify([place.organizationId, place.subjectId, place.field])),
  ]);
}
