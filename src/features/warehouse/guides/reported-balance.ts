import type { WriteScope } from '../../../platform/db/database.ts';
import { recordBalances } from '../../balances/index.ts';
import { connectionById } from '../../connections/index.ts';
import type { Attempt } from './attempt-types.ts';
import type { Guide } from './guide-effects.ts';

/** Keeps the balance that a carrier reports with a guide: it may report it nowhere else. */
export async function keepReportedBalance(
  scope: WriteScope,
  { connectionId, currency }: Attempt,
  { availableBalance: available }: Guide,
): Promise<void> {
  const connection = connectionId && (await connectionById(scope, connectionId));
  if (!connection || available === null) return;
  const { service, accountId } = connection;
  const balance = { purse: '', currency, available, pending: null, isDerived: false };
  const balances = [{ ...balance, asOf: scope.clock.now() }];
  await recordBalances(scope, { connectionId, service, accountId }, balances, { announce: true });
}
