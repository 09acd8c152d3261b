import type { Marketplace, SourceSettlement } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { AccountSource } from '../connections/index.ts';
import type { Settlement } from './balance.ts';

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

const PAYOUTS = bulk('settlements', [
  'id',
  'status',
  'marketplace_status',
  'currency',
  'gross',
  'fees',
  'net',
  'period_from',
  'period_to',
  'paid_at',
  'reference',
  'changed_at',
  'raw',
]);

const SHOWN = `marketplace, account_id, id, status, marketplace_status, currency, gross, fees, net, period_from,
  period_to, paid_at, reference, changed_at, listed_at`;

/** A query in `returning` reads the row as it was before the statement. */
const UPSERT_SETTLEMENTS = PAYOUTS.statement<SettlementRow & { former_status: string | null }>(
  'settlements.upsert',
  (given) => `insert into settlements as known
     (organization_id, marketplace, account_id, connection_id, listed_at, ${PAYOUTS.names})
   select $1, $2::text, $3::text, $4::uuid, coalesce(given.paid_at, given.period_to, $5::timestamptz), given.*
     from ${given}
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
   returning ${SHOWN}, (
     select former.status from settlements former
      where former.organization_id = known.organization_id and former.marketplace = known.marketplace
        and former.account_id = known.account_id and former.id = known.id) as former_status`,
);

/**
 * A payout's day without a time is stored as its first instant in UTC. A span contains it when it
 * contains the day's noon in UTC, or ends at that first instant.
 */
const NOON = { hours: 12 };

const SETTLEMENTS = statement<SettlementRow>(
  'settlements.page',
  `select ${SHOWN}
     from settlements
    where organization_id = $1
      and (cardinality($2::text[]) = 0 or marketplace = any($2))
      and (cardinality($3::text[]) = 0 or status = any($3))
      and listed_at >= coalesce($11::timestamptz, '-infinity') and listed_at <= coalesce($5::timestamptz, 'infinity')
      and case when date_trunc('day', listed_at at time zone 'UTC') = listed_at at time zone 'UTC'
            then listed_at <= coalesce($12::timestamptz, 'infinity') or listed_at = $5::timestamptz
            else listed_at >= coalesce($4::timestamptz, '-infinity') end
      and ($6::timestamptz is null or (listed_at, marketplace, account_id, id) < ($6, $7::text, $8::text, $9::text))
    order by listed_at desc, marketplace desc, account_id desc, id desc limit $10`,
);

/** A payout as it is now; null = it was not stored before. */
export interface ChangedSettlement {
  readonly settlement: Settlement;
  readonly formerStatus: string | null;
}

/** @returns those that are new or different */
export async function upsertSettlements(
  scope: WriteScope,
  source: AccountSource,
  given: readonly SourceSettlement[],
): Promise<ChangedSettlement[]> {
  const reported = given.map((one) => ({
    id: one.id,
    status: one.status,
    marketplace_status: one.marketplaceStatus,
    currency: one.currency,
    gross: one.gross,
    fees: one.fees,
    net: one.net,
    period_from: one.from,
    period_to: one.to,
    paid_at: one.paidAt,
    reference: one.reference,
    changed_at: one.changedAt,
    raw: one.raw,
  }));
  const { marketplace, accountId, connectionId } = source;
  const now = scope.clock.now().toString();
  const values = UPSERT_SETTLEMENTS.values([marketplace, accountId, connectionId, now], reported);
  const rows = await scope.prepared(UPSERT_SETTLEMENTS, values);
  return rows.map((row) => ({ settlement: toSettlement(row), formerStatus: row.former_status }));
}

/** Microseconds of the position in the list, and the key. */
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
    from?.subtract(NOON).toString() ?? null,
    to?.subtract(NOON).toString() ?? null,
  ]);
  return rows.map(toSettlement);
}

const LATEST = statement<SettlementRow>(
  'settlements.latest-paid',
  `select ${SHOWN} from settlements
    where organization_id = $1 and marketplace = $2 and account_id = $3 and currency = $4
      and status = 'paid'
    order by listed_at desc, id desc limit 1`,
);

/** The newest that was paid, of one currency of an account; null = none. */
export async function latestPayout(
  scope: ReadScope,
  { marketplace, accountId, currency }: Pick<Settlement, 'marketplace' | 'accountId' | 'currency'>,
): Promise<Settlement | null> {
  const [row] = await scope.prepared(LATEST, [marketplace, accountId, currency]);
  return row ? toSettlement(row) : null;
}

const ONE = statement<SettlementRow>(
  'settlements.one',
  `select ${SHOWN} from settlements
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
);

/** @returns null where none is stored */
export async function settlementOf(
  scope: ReadScope,
  { marketplace, accountId, id }: Pick<Settlement, 'marketplace' | 'accountId' | 'id'>,
): Promise<Settlement | null> {
  const [row] = await scope.prepared(ONE, [marketplace, accountId, id]);
  return row ? toSettlement(row) : null;
}

function toSettlement(row: SettlementRow): Settlement {
  return {
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
  };
}
