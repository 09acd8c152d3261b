import { createHmac } from 'node:crypto';
import { derive, type Keyring, sameSecret } from '../../platform/seal.ts';

// The browser that registers keeps a mark of its registration. The password was typed in that
// browser, so the mailed link does not ask for it again. The hash in the mark has a salt of its own:
// a later registration of the same address has another mark.

interface Registration {
  readonly email: string;
  /** Its hash. */
  readonly password: string;
}

export function markOf({ current }: Keyring, registration: Registration): string {
  return signature(current, registration);
}

export function isMarked(
  { current, previous }: Keyring,
  registration: Registration,
  mark: string | null,
): boolean {
  return [current, previous].some(
    (master) =>
      master !== null && mark !== null && sameSecret(signature(master, registration), mark),
  );
}

function signature(master: Buffer, { email, password }: Registration): string {
  return createHmac('sha256', derive(master, 'registration'))
    .update(`${email} ${password}`)
    .digest('base64url');
}
