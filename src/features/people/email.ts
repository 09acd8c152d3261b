import { z } from 'zod';

const LONGEST = 254;
/** What the sign-in library accepts: with another address a person could never sign in. */
const ADDRESS = z.email();

/** Addresses are compared and kept like this. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase();
}

/**
 * Whether it may be an address; that it is one, only a mail can tell. Nothing that could end a
 * header line is in it.
 */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST && ADDRESS.safeParse(text).success;
}
