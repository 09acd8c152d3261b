/** The period that is open, and the marketplace whose lines are, as the address holds them. */
import { fromAddress } from '../../address.ts';

interface WithheldSearch {
  readonly periodo?: string;
  readonly marketplace?: string;
}

export function withheldSearch(given: Record<string, unknown>): WithheldSearch {
  return fromAddress(given, ['periodo', 'marketplace']);
}
