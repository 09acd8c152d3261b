import type { ServiceSlug } from '../../carriers/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { ServiceSource } from '../connections/index.ts';
import type { Balance } from './balance.ts';

interface BalanceRow {
  readonly service: string;
  readonly account_id: string;
  readonly purse: string;
  readonly currency: string;
  readonly available: Decimal | null;
  readonly pending: Decimal | null;
  readonly balance: Decimal | null;
  readonly credit_limit: Decimal | null;
  readonly releases: string;
  readonly as_of: Instant;
  readonly is_derived: boolean;
}

const BALANCE_COLUMNS =
  'service, account_id, purse, currency, available, pending, balance, credit_limit, releases, as_of, is_derived';

const BALANCES = statement<BalanceRow>(
  'balances.all',
  `select ${BALANCE_COLUMNS} from balances where organization_id = $1
    order by service, account_id, purse, currency`,
);

const LOCK_BALANCES = statement<BalanceRow>(
  'balances.lock',
  `select ${BALANCE_COLUMNS} from balances
    where organization_id = $1 and service = $2 and account_id = $3
    order by purse, currency for update`,
);

const GIVEN = bulk('balances', [
  'service',
  'account_id',
  'connection_id',
  'purse',
  'currency',
  'available',
  'pending',
  'balance',
  'credit_limit',
  'releases',
  'as_of',
  'is_derived',
]);

const UPSERT_BALANCES = GIVEN.statement(
  'balances.upsert',
  (given) => `insert into balances as known (organization_id, changed_at, ${GIVEN.names})
   select $1, $2::timestamptz, given.* from ${given}
   on conflict (organization_id, service, account_id, purse, currency) do update
     set connection_id = excluded.connection_id, available = excluded.available, pending = excluded.pending,
         balance = excluded.balance, credit_limit = excluded.credit_limit, releases = excluded.releases,
         as_of = excluded.as_of, is_derived = excluded.is_derived,
         changed_at = case
           when (known.available, known.pending, known.balance, known.credit_limit)
             is distinct from (excluded.available, excluded.pending, excluded.balance, excluded.credit_limit)
           then excluded.changed_at else known.changed_at end
     where known.as_of <= excluded.as_of`,
);

const PAST = bulk('balance_history', [
  'service',
  'account_id',
  'purse',
  'currency',
  'as_of',
  'available',
  'pending',
  'balance',
  'credit_limit',
]);

const ADD_HISTORY = PAST.statement(
  'balances.add-history',
  (given) => `insert into balance_history (organization_id, ${PAST.names})
   select $1, given.* from ${given}
   on conflict (organization_id, service, account_id, purse, currency, as_of) do update
     set available = excluded.available, pending = excluded.pending, balance = excluded.balance,
         credit_limit = excluded.credit_limit`,
);

/** A year and a month, so that a month can be compared with the same one of the year before. */
const KEEP_HISTORY_DAYS = 400;

export const RETENTIONS = [
  retention(
    'balance_history',
    KEEP_HISTORY_DAYS,
    removeBefore('balances.remove-history', 'balance_history', 'as_of'),
  ),
];

export async function balances(scope: ReadScope): Promise<Balance[]> {
  return (await scope.prepared(BALANCES, [])).map(balanceOf);
}

/** Locks this account's balances until the transaction ends. */
export async function lockBalances(scope: WriteScope, source: ServiceSource): Promise<Balance[]> {
  return (await scope.prepared(LOCK_BALANCES, [source.service, source.accountId])).map(balanceOf);
}

export async function upsertBalances(
  scope: WriteScope,
  given: readonly (Balance & ServiceSource)[],
): Promise<void> {
  if (given.length === 0) return;
  const rows = given.map((one) => ({
    ...amountsOf(one),
    connection_id: one.connectionId,
    releases: JSON.stringify(one.releases ?? []),
    is_derived: one.isDerived,
  }));
  const values = UPSERT_BALANCES.values([scope.clock.now().toString()], rows);
  await scope.prepared(UPSERT_BALANCES, values);
}

export async function addHistory(scope: WriteScope, given: readonly Balance[]): Promise<void> {
  if (given.length === 0) return;
  await scope.prepared(ADD_HISTORY, ADD_HISTORY.values([], given.map(amountsOf)));
}

function amountsOf(given: Balance): GivenBy<typeof PAST> {
  return {
    service: given.service,
    account_id: given.accountId,
    purse: given.purse,
    currency: given.currency,
    as_of: given.asOf,
    available: given.available,
    pending: given.pending,
    balance: given.balance ?? null,
    credit_limit: given.creditLimit ?? null,
  };
}

function balanceOf(row: BalanceRow): Balance {
  const releases = JSON.parse(row.releases) as { at: string; amount: Decimal }[];
  return {
    service: row.service as ServiceSlug,
    accountId: row.account_id,
    purse: row.purse,
    currency: row.currency,
    available: row.available,
    pending: row.pending,
    balance: row.balance,
    creditLimit: row.credit_limit,
    releases: releases.map(({ at, amount }) => ({ at: Temporal.Instant.from(at), amount })),
    asOf: row.as_of,
    isDerived: row.is_derived,
  };
}
