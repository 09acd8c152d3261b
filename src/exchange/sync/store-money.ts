import { isLedger, isSettlement, type SourceMoney } from '../../connectors/contract.ts';
import { recordSettlements } from '../../features/balances/index.ts';
import type { AccountSource, SealedConnection } from '../../features/connections/index.ts';
import { annotateOrders, recordLedgers } from '../../features/ledger/index.ts';
import type { Database, WriteScope } from '../../platform/db/database.ts';
import { findInAccount } from './find-in-account.ts';
import { listenersByOrigin, type StoreParts } from './follow-up.ts';

export interface FollowParts extends StoreParts {
  readonly database: Database;
}

/** Orders of one transaction, which holds the delta clock for some tens of milliseconds. */
const ORDERS_AT_ONCE = 100;

/** Stores payouts, and the movements of the same documents. @returns how many changed */
export async function storeMoney(
  scope: WriteScope,
  source: AccountSource,
  items: readonly SourceMoney[],
  options: { announce: boolean },
): Promise<number> {
  const paid = await recordSettlements(scope, source, items.filter(isSettlement), options);
  return paid + (await recordLedgers(scope, source, items.filter(isLedger)));
}

/** After a sync run: its orders get their money, and what does not fit becomes a finding. */
export async function followMoney(
  parts: FollowParts,
  { connection }: { readonly connection: SealedConnection },
): Promise<void> {
  await annotateAllOrders(parts, connection.organizationId);
  await findInAccount(parts.database, connection);
}

/** Shows orders the money of a whole sync run at once, so that each changes once. */
async function annotateAllOrders(parts: FollowParts, organizationId: string): Promise<void> {
  const organization = parts.database.within(organizationId);
  const annotate = () =>
    organization.write((scope) => annotateOrders(scope, listenersByOrigin(parts), ORDERS_AT_ONCE));
  while ((await annotate()) === ORDERS_AT_ONCE);
}
