import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Balance } from './balance.ts';

/** The key of a purse within an organisation. */
export type PurseKey = Pick<Balance, 'service' | 'accountId' | 'purse' | 'currency'>;

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

export async function listFloors(scope: ReadScope): Promise<Floor[]> {
  const rows = await scope.prepared(ALL, []);
  return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId }));
}

export async function putFloor(scope: WriteScope, { least, ...key }: Floor): Promise<void> {
  await scope.prepared(PUT, [...valuesOf(key), least]);
}

export async function removeFloor(scope: WriteScope, key: PurseKey): Promise<void> {
  await scope.prepared(REMOVE, valuesOf(key));
}

function valuesOf({ service, accountId, purse, currency }: PurseKey): string[] {
  return [service, accountId, purse, currency];
}
