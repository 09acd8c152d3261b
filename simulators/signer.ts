/**
 * Signatures inside tokens. Tokens carry their own data and a signature, so that credentials stored
 * by a demo outlive a restart of the simulator.
 */
import { createHmac } from 'node:crypto';

export type Sign = (...parts: (string | number)[]) => string;

/** Hexadecimal, and so many characters of it. */
export function createSigner(seed: string, clientSecret: string, length: number): Sign {
  return (...parts) =>
    createHmac('sha256', `${seed}/${clientSecret}`)
      .update(parts.join('-'))
      .digest('hex')
      .slice(0, length);
}
