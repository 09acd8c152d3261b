import type { SourceLedger, SourceMovement } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AccountSource } from '../connections/index.ts';
import * as store from './store-movements.ts';

export const OPENING = 'opening';

/**
 * What an account held before its first movement becomes the first one, also where a document may
 * lack some.
 */
export async function openingOf(
  scope: WriteScope,
  source: AccountSource,
  { report, opening }: SourceLedger,
): Promise<SourceMovement[]> {
  if (!opening || (await store.hasAny(scope, source, report))) return [];
  const known = { key: OPENING, kind: OPENING, nativeType: OPENING } as const;
  return [{ ...known, ...opening, orderId: null, payoutId: null, isOpen: false }];
}
