/** The period that is open, as the address holds it. */
import { fromAddress } from '../../address.ts';

interface WithheldSearch {
  readonly periodo?: string;
}

export function withheldSearch(given: Record<string, unknown>): WithheldSearch {
  return fromAddress(given, ['periodo']);
}
