import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace, SourceSettlement } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Decimal } from '../../platform/money.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { AccountSource, ServiceSource } from '../connections/index.ts';
import type { Balance, Settlement } from './balance.ts';

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

const UPSERT_BALANCES = statement<object>(
  'balances.upsert',
  `insert into balances as known
     (organization_id, changed_at, service, account_id, connection_id, purse, currency, available, pending, balance,
      credit_limit, releases, as_of, is_derived)
   select $1, $2::timestamptz, g.*
     from unnest($3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::numeric[], $9::numeric[],
       $10::numeric[], $11::numeric[], $12::text[], $13::timestamptz[], $14::boolean[])
       as g (service, account_id, connection_id, purse, currency, available, pending, balance, credit_limit, releases,
             as_of, is_derived)
   on conflict (organization_id, service, account_id, purse, currency) do update
     set connection_id = excluded.connection_id, available = excluded.available, pending = excluded.pending,
         balance = excluded.balance, credit_limit = excluded.credit_limit, releases = excluded.releases, as_of = excluded.as_of, is_derived = excluded.is_derived,
         changed_at = case
           when (known.available, known.pending, known.balance, known.credit_limit)
             is distinct from (excluded.available, excluded.pending, excluded.balance, excluded.credit_limit)
           then excluded.changed_at else known.changed_at end
     where known.as_of <= excluded.as_of`,
);

const ADD_HISTORY = statement<object>(
  'balances.add-history',
  `insert into balance_history
     (organization_id, service, account_id, purse, currency, as_of, available, pending, balance, credit_limit)
   select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::numeric[],
     $8::numeric[], $9::numeric[], $10::numeric[])
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

interface SettlementRow {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly status: string;
  readonly marketplace_status: string;
  readonly currency: string;
  readonly gross: Decimal | null;
  readonly fees: Decimal | null;
  readonly net: Decimal;
  readonly period_from: Instant | null;
  readonly period_to: Instant | null;
  readonly paid_at: Instant | null;
  readonly reference: string | null;
  readonly changed_at: Instant | null;
  readonly listed_at: Instant;
}

const UPSERT_SETTLEMENTS = statement<{ id: string }>(
  'settlements.upsert',
  `insert into settlements as known
     (organization_id, marketplace, account_id, connection_id, listed_at, id, status, marketplace_status, currency,
      gross, fees, net, period_from, period_to, paid_at, reference, changed_at, raw)
   select $1, $2::text, $3::text, $4::uuid, coalesce(g.paid_at, g.period_to, $5::timestamptz), g.*
     from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::numeric[], $11::numeric[], $12::numeric[],
       $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::text[], $17::timestamptz[], $18::text[])
       as g (id, status, marketplace_status, currency, gross, fees, net, period_from, period_to, paid_at,
             reference, changed_at, raw)
   on conflict (organization_id, marketplace, account_id, id) do update
     set connection_id = excluded.connection_id, status = excluded.status,
         marketplace_status = excluded.marketplace_status, currency = excluded.currency,
         gross = excluded.gross, fees = excluded.fees, net = excluded.net, period_from = excluded.period_from,
         period_to = excluded.period_to, paid_at = excluded.paid_at, reference = excluded.reference,
         changed_at = excluded.changed_at, raw = excluded.raw,
         listed_at = coalesce(excluded.paid_at, excluded.period_to, known.listed_at)
     where (known.changed_at is null or excluded.changed_at is null or known.changed_at <= excluded.changed_at)
       and (known.status, known.marketplace_status, known.currency, known.gross, known.fees, known.net,
            known.period_from, known.period_to, known.paid_at, known.reference, known.raw)
         is distinct from
           (excluded.status, excluded.marketplace_status, excluded.currency, excluded.gross, excluded.fees,
            excluded.net, excluded.period_from, excluded.period_to, excluded.paid_at, excluded.reference,
            excluded.raw)
   returning id`,
);

const SETTLEMENTS = statement<SettlementRow>(
  'settlements.page',
  `select marketplace, account_id, id, status, marketplace_status, currency, gross, fees, net, period_from,
          period_to, paid_at, reference, changed_at, listed_at
     from settlements
    where organization_id = $1
      and (cardinality($2::text[]) = 0 or marketplace = any($2))
      and (cardinality($3::text[]) = 0 or status = any($3))
      and listed_at >= coalesce($4::timestamptz, '-infinity') and listed_at <= coalesce($5::timestamptz, 'infinity')
      and ($6::timestamptz is null or (listed_at, marketplace, account_id, id) < ($6, $7::text, $8::text, $9::text))
    order by listed_at desc, marketplace desc, account_id desc, id desc limit $10`,
);

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
  await scope.prepared(UPSERT_BALANCES, [
    scope.clock.now().toString(),
    given.map(({ service }) => service),
    given.map(({ accountId }) => accountId),
    given.map(({ connectionId }) => connectionId),
    given.map(({ purse }) => purse),
    given.map(({ currency }) => currency),
    given.map(({ available }) => available),
    given.map(({ pending }) => pending),
    given.map(({ balance }) => balance ?? null),
    given.map(({ creditLimit }) => creditLimit ?? null),
    given.map(({ releases }) => JSON.stringify(releases ?? [])),
    given.map(({ asOf }) => asOf.toString()),
    given.map(({ isDerived }) => isDerived),
  ]);
}

export async function addHistory(scope: WriteScope, given: readonly Balance[]): Promise<void> {
  if (given.length === 0) return;
  await scope.prepared(ADD_HISTORY, [
    given.map(({ service }) => service),
    given.map(({ accountId }) => accountId),
    given.map(({ purse }) => purse),
    given.map(({ currency }) => currency),
    given.map(({ asOf }) => asOf.toString()),
    given.map(({ available }) => available),
    given.map(({ pending }) => pending),
    given.map(({ balance }) => balance ?? null),
    given.map(({ creditLimit }) => creditLimit ?? null),
  ]);
}

export async function upsertSettlements(
  scope: WriteScope,
  source: AccountSource,
  given: readonly SourceSettlement[],
): Promise<number> {
  const rows = await scope.prepared(UPSERT_SETTLEMENTS, [
    source.marketplace,
    source.accountId,
    source.connectionId,
    scope.clock.now().toString(),
    given.map(({ id }) => id),
    given.map(({ status }) => status),
    given.map(({ marketplaceStatus }) => marketplaceStatus),
    given.map(({ currency }) => currency),
    given.map(({ gross }) => gross),
    given.map(({ fees }) => fees),
    given.map(({ net }) => net),
    given.map(({ from }) => from?.toString() ?? null),
    given.map(({ to }) => to?.toString() ?? null),
    given.map(({ paidAt }) => paidAt?.toString() ?? null),
    given.map(({ reference }) => reference),
    given.map(({ changedAt }) => changedAt?.toString() ?? null),
    given.map(({ raw }) => raw),
  ]);
  return rows.length;
}

/** Microseconds of the place in the list, and the key. */
export type SettlementPosition = readonly [number, string, string, string];

interface SettlementPageRequest {
  readonly marketplace: readonly string[];
  readonly status: readonly string[];
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly after: SettlementPosition | null;
  readonly limit: number;
}

export async function pageOfSettlements(
  scope: ReadScope,
  { marketplace, status, from, to, after, limit }: SettlementPageRequest,
): Promise<Settlement[]> {
  const [micros, ...key] = after ?? [null, null, null, null];
  const rows = await scope.prepared(SETTLEMENTS, [
    marketplace,
    status,
    from?.toString() ?? null,
    to?.toString() ?? null,
    micros === null ? null : fromEpochMicros(micros).toString(),
    ...key,
    limit,
  ]);
  return rows.map((row) => ({
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    id: row.id,
    status: row.status as SourceSettlement['status'],
    marketplaceStatus: row.marketplace_status,
    currency: row.currency,
    gross: row.gross,
    fees: row.fees,
    net: row.net,
    from: row.period_from,
    to: row.period_to,
    paidAt: row.paid_at,
    reference: row.reference,
    changedAt: row.changed_at,
    listedAt: row.listed_at,
  }));
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
