import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { compare, type Decimal } from '../../platform/money.ts';
import { raiseAlert, resolveAlert } from '../alerts/index.ts';
import type { Balance } from './balance.ts';

/** What tells a purse from the others of an organisation. */
type PurseKey = Pick<Balance, 'service' | 'accountId' | 'purse' | 'currency'>;

/** Below which available amount of a purse an alert is raised. */
interface Floor extends PurseKey {
  readonly least: Decimal;
}

interface FloorRow {
  readonly service: Floor['service'];
  readonly account_id: string;
  readonly purse: string;
  readonly currency: string;
  readonly least: Decimal;
}

const ALL = statement<FloorRow>(
  'balances.floors',
  `select service, account_id, purse, currency, least from balance_floors
    where organization_id = $1`,
);
const PUT = statement<object>(
  'balances.put-floor',
  `insert into balance_floors (organization_id, service, account_id, purse, currency, least)
   values ($1, $2, $3, $4, $5, $6::numeric)
   on conflict (organization_id, service, account_id, purse, currency) do update
     set least = excluded.least`,
);
const REMOVE = statement<object>(
  'balances.remove-floor',
  `delete from balance_floors where organization_id = $1 and service = $2 and account_id = $3
      and purse = $4 and currency = $5`,
);

const ALERT = 'low_balance';

export async function listFloors(scope: ReadScope): Promise<Floor[]> {
  const rows = await scope.prepared(ALL, []);
  return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId }));
}

/** @param balance as it stands; @param least null = no alert any more */
export async function setFloor(
  scope: WriteScope,
  balance: Balance,
  least: Decimal | null,
): Promise<void> {
  const key = [balance.service, balance.accountId, balance.purse, balance.currency];
  if (least === null) {
    await scope.prepared(REMOVE, key);
    await resolveAlert(scope, ALERT, subjectOf(balance));
    return;
  }
  await scope.prepared(PUT, [...key, least]);
  await alertIfLow(scope, balance, least);
}

/** Raises an alert for each purse below its floor, and ends those of the others. */
export async function alertLowBalances(
  scope: WriteScope,
  balances: readonly Balance[],
): Promise<void> {
  if (balances.length === 0) return;
  const floors = new Map((await listFloors(scope)).map((floor) => [subjectOf(floor), floor.least]));
  for (const balance of balances) {
    const least = floors.get(subjectOf(balance));
    if (least !== undefined) await alertIfLow(scope, balance, least);
  }
}

async function alertIfLow(scope: WriteScope, balance: Balance, least: Decimal): Promise<void> {
  const subject = subjectOf(balance);
  const amount = balance.available ?? balance.balance ?? null;
  if (amount === null || compare(amount, least) >= 0) {
    await resolveAlert(scope, ALERT, subject);
    return;
  }
  const { accountId, currency } = balance;
  const message = `El saldo disponible de la cuenta ${accountId} es de $${amount} ${currency}, menos de los $${least} ${currency} que pusiste como mínimo.`;
  await raiseAlert(scope, { kind: ALERT, subject, message });
}

export function subjectOf({ service, accountId, purse, currency }: PurseKey): string {
  return JSON.stringify([service, accountId, purse, currency]);
}
