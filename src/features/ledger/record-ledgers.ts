import type { SourceLedger } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AccountSource } from '../connections/index.ts';
import { isReplacedBy, isSettledBy, nextRevision, takenBack } from './corrections.ts';
import { OPENING, openingOf } from './opening.ts';
import * as store from './store-movements.ts';
import { touch } from './store-orders.ts';

/**
 * Adds the movements of documents to the ledger of an account. A movement that its source reports
 * otherwise now, or no longer lists, is taken back by a row of the opposite amount; no row is
 * changed or removed. The orders that the new rows name are noted, to be shown their money.
 * @returns how many movements are new, taken back or known better
 */
export async function recordLedgers(
  scope: WriteScope,
  source: AccountSource,
  ledgers: readonly SourceLedger[],
): Promise<number> {
  let changed = 0;
  for (const ledger of ledgers) changed += await recordLedger(scope, source, ledger);
  return changed;
}

async function recordLedger(
  scope: WriteScope,
  source: AccountSource,
  ledger: SourceLedger,
): Promise<number> {
  const { report, covers } = ledger;
  const reported = new Map(ledger.movements.map((movement) => [movement.key, movement]));
  for (const opening of await openingOf(scope, source, ledger)) reported.set(opening.key, opening);
  const known = await store.latestOf(scope, source, report, [...reported.keys()]);
  const gone = covers
    ? (await store.latestCovered(scope, source, report, covers)).filter(
        ({ key, kind }) => !reported.has(key) && kind !== OPENING,
      )
    : [];
  const latest = new Map(known.map((row) => [row.key, row]));
  const movements = [...reported.values()];
  const replaced = new Set(
    movements.flatMap(({ key }) => latest.get(key) ?? []).filter(isReplacedBy(reported)),
  );
  const fresh = movements.filter(({ key }) => {
    const row = latest.get(key);
    return !row || row.isCorrection || replaced.has(row);
  });
  const rows = [
    ...[...replaced, ...gone].map(takenBack),
    ...fresh.map((movement) => ({
      ...movement,
      isCorrection: false,
      revision: nextRevision(latest.get(movement.key)),
    })),
  ];
  await store.add(scope, source, report, rows);
  const settled = movements.filter((movement) => isSettledBy(latest.get(movement.key), movement));
  await store.settle(scope, source, report, settled);
  const named = [...rows, ...settled].flatMap(({ orderId }) => orderId ?? []);
  await touch(scope, source, [...new Set(named)]);
  return rows.length + settled.length;
}
