import { hash, randomBytes, randomUUID } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An unguessable row identifier. */
export function newId(): string {
  return randomUUID();
}

/** The row identifier that follows from a text: the same for the same. */
export function idOf(text: string): string {
  return sha256(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** `req_…`, sortable by the millisecond it was made in. */
export function newRequestId(epochMilliseconds: number): string {
  const random = randomUUID();
  return `req_${epochMilliseconds.toString(36).padStart(9, '0')}${random.slice(0, 8)}${random.slice(9, 13)}${random.slice(14, 18)}`;
}

/** `org_…`: the organisation's name in addresses that carriers call. */
export function newPublicId(): string {
  return `org_${randomBase62(20)}`;
}

export function newEventId(): string {
  return `evt_${randomBase62(24)}`;
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: bytes above would favour the first letters.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** Whether a text has the shape of one of our identifiers. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
