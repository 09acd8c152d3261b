/** The state and the finding that are shown, as the address holds them. */
import { fromAddress } from '../../address.ts';
import { type Finding, findingStates } from '../../finding-words.ts';

export interface FindingSearch {
  readonly estado?: string;
  /** The one that is open. */
  readonly hallazgo?: string;
}

const NAMES = ['estado', 'hallazgo'] as const;

export function findingSearch(given: Record<string, unknown>): FindingSearch {
  return fromAddress(given, NAMES);
}

export function stateOf({ estado }: FindingSearch): Finding['state'] {
  return estado !== undefined && Object.hasOwn(findingStates, estado)
    ? (estado as Finding['state'])
    : 'open';
}
