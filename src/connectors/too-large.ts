import { aside } from './bounds.ts';
import { type Read, TOO_LARGE } from './contract.ts';

/** A thing whose answer exceeds the size limit. */
export function tooLarge(externalId: string): Read<never> {
  return aside({
    externalId,
    reason: TOO_LARGE,
    raw: JSON.stringify({ id: externalId, reason: TOO_LARGE }),
  });
}

/**
 * The same for a list that does not identify the row: stored once a list, however often it occurs.
 */
export function tooLargeIn(list: string): Read<never> {
  return aside({
    externalId: null,
    reason: TOO_LARGE,
    raw: JSON.stringify({ list, reason: TOO_LARGE }),
  });
}

export function isSetAsTooLarge(read: Read<unknown>): boolean {
  return !read.ok && read.reason === TOO_LARGE;
}
