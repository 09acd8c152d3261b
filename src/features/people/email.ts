import { z } from 'zod';

const LONGEST = 254;
/** The sign-in library's own rule: with another address a person could never sign in. */
const ADDRESS = z.email();

/** The form in which addresses are compared and stored. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase();
}

/**
 * Whether a text may be an address; only a mail can prove it. It contains nothing that could end a
 * header line.
 */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST && ADDRESS.safeParse(text).success;
}
