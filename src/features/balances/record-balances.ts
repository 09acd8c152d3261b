import type { SourceBalance } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { publicName } from '../../platform/input-fields.ts';
import { compare, type Decimal } from '../../platform/money.ts';
import type { ServiceSource } from '../connections/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import type { Balance } from './balance.ts';
import { writePurse } from './fields.ts';
import { alertLowBalances } from './floors.ts';
import * as store from './store.ts';

const AMOUNTS = ['available', 'pending', 'balance', 'creditLimit'] as const;

/**
 * Stores the latest balance of each purse; the history gets a row, and customers an event, only
 * when an amount changed. A balance older than the stored one changes nothing.
 * @returns how many balances changed
 */
export async function recordBalances(
  scope: WriteScope,
  source: ServiceSource,
  balances: readonly SourceBalance[],
  { announce }: { announce: boolean },
): Promise<number> {
  const latest = latestOfEach(balances);
  if (latest.length === 0) return 0;
  const stored = new Map((await store.lockBalances(scope, source)).map((row) => [keyOf(row), row]));
  const newer = latest
    .filter((balance) => !isOlder(balance, stored.get(keyOf(balance))))
    .map((balance) => ({ ...balance, ...source }));
  const moved = newer.filter((balance) => hasMoved(balance, stored.get(keyOf(balance))));
  await store.upsertBalances(scope, newer);
  await store.addHistory(scope, moved);
  await alertLowBalances(scope, newer);
  if (announce)
    await emit(
      scope,
      moved.map((balance) => eventOf(balance, stored.get(keyOf(balance)))),
    );
  return moved.length;
}

function eventOf(balance: Balance, former: SourceBalance | undefined): OutgoingEvent {
  const data = writePurse(balance, 'event');
  if (!former) return { type: 'balance.updated', data };
  const changed = AMOUNTS.filter((name) => !isSame(balance[name] ?? null, former[name] ?? null));
  return { type: 'balance.updated', changed: changed.map(publicName), data };
}

function latestOfEach(balances: readonly SourceBalance[]): SourceBalance[] {
  const latest = new Map<string, SourceBalance>();
  for (const balance of balances)
    if (!isOlder(balance, latest.get(keyOf(balance)))) latest.set(keyOf(balance), balance);
  return [...latest.values()];
}

function isOlder(balance: SourceBalance, other: SourceBalance | undefined): boolean {
  return other !== undefined && Temporal.Instant.compare(balance.asOf, other.asOf) < 0;
}

function hasMoved(balance: SourceBalance, stored: SourceBalance | undefined): boolean {
  return !stored || AMOUNTS.some((name) => !isSame(balance[name] ?? null, stored[name] ?? null));
}

function isSame(a: Decimal | null, b: Decimal | null): boolean {
  return a === null || b === null ? a === b : compare(a, b) === 0;
}

function keyOf({ purse, currency }: { purse: string; currency: string }): string {
  return `${purse}\n${currency}`;
}
