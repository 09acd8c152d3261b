import type { CoveredTime, MovementKind, SourceMovement } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountSource } from '../connections/index.ts';

/** A row of the ledger. */
export interface StoredMovement extends SourceMovement {
  /** Of its key, from 0. */
  readonly revision: number;
  /** Takes the row before it back. */
  readonly isCorrection: boolean;
}

interface MovementRow {
  readonly key: string;
  readonly revision: number;
  readonly is_correction: boolean;
  readonly kind: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly at: Instant;
  readonly native_type: string;
  readonly order_id: string | null;
  readonly payout_id: string | null;
  readonly is_open: boolean;
}

const MOVEMENTS = bulk('movements', [
  'key',
  'revision',
  'is_correction',
  'kind',
  'amount',
  'currency',
  'at',
  'native_type',
  'order_id',
  'payout_id',
  'is_open',
]);
const SETTLED = bulk('movements', ['key', 'payout_id', 'is_open']);
const KEYS = bulk('movements', ['key']);

const OF_ACCOUNT = `organization_id = $1 and marketplace = $2 and account_id = $3`;

const ADD = MOVEMENTS.statement(
  'movements.add',
  (given) => `insert into movements
     (organization_id, marketplace, account_id, report, connection_id, recorded_at, ${MOVEMENTS.names})
   select $1, $2::text, $3::text, $4::text, $5::uuid, $6::timestamptz, given.* from ${given}`,
);
/**
 * Not the money of a row: what became known of it later, and of what took it back, too. An insert
 * that always conflicts finds its rows by their key: with few statistics an update would compare
 * each with all of the report.
 */
const SETTLE = SETTLED.statement(
  'movements.settle',
  (given) => `insert into movements as known
     (organization_id, marketplace, account_id, report, connection_id, recorded_at, ${MOVEMENTS.names})
   select row.organization_id, row.marketplace, row.account_id, row.report, row.connection_id,
          row.recorded_at, row.key, row.revision, row.is_correction, row.kind, row.amount,
          row.currency, row.at, row.native_type, row.order_id, given.payout_id, given.is_open
     from ${given} cross join lateral (
       select * from movements where ${OF_ACCOUNT} and report = $4 and key = given.key
        order by revision) as row
    order by row.key, row.revision
   on conflict (organization_id, marketplace, account_id, report, key, revision) do update
     set payout_id = coalesce(excluded.payout_id, known.payout_id), is_open = excluded.is_open`,
);
const LATEST = KEYS.statement<MovementRow>(
  'movements.latest',
  (given) => `select latest.* from ${given} cross join lateral (
       select ${MOVEMENTS.names} from movements
        where ${OF_ACCOUNT} and report = $4 and key = given.key
        order by revision desc limit 1) as latest`,
);
const LATEST_OF_TIME = statement<MovementRow>(
  'movements.latest-of-time',
  `select distinct on (key) ${MOVEMENTS.names} from movements
    where ${OF_ACCOUNT} and report = $4 and at > $5::timestamptz and at < $6::timestamptz
    order by key, revision desc`,
);
const LATEST_OF_PAYOUT = statement<MovementRow>(
  'movements.latest-of-payout',
  `select distinct on (key) ${MOVEMENTS.names} from movements
    where ${OF_ACCOUNT} and report = $4 and payout_id = $5
    order by key, revision desc`,
);
const ANY = statement<object>(
  'movements.any',
  `select 1 from movements where ${OF_ACCOUNT} and report = $4 limit 1`,
);

export async function add(
  scope: WriteScope,
  { marketplace, accountId, connectionId }: AccountSource,
  report: string,
  rows: readonly StoredMovement[],
): Promise<void> {
  if (rows.length === 0) return;
  const now = scope.clock.now().toString();
  const values = rows.map((row) => ({
    key: row.key,
    revision: row.revision,
    is_correction: row.isCorrection,
    kind: row.kind,
    amount: row.amount,
    currency: row.currency,
    at: formatMicros(row.at),
    native_type: row.nativeType,
    order_id: row.orderId,
    payout_id: row.payoutId,
    is_open: row.isOpen,
  }));
  const given = [marketplace, accountId, report, connectionId, now];
  await scope.prepared(ADD, ADD.values(given, values));
}

export async function settle(
  scope: WriteScope,
  { marketplace, accountId }: AccountSource,
  report: string,
  rows: readonly SourceMovement[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ key, payoutId, isOpen }) => ({
    key,
    payout_id: payoutId,
    is_open: isOpen,
  }));
  await scope.prepared(SETTLE, SETTLE.values([marketplace, accountId, report], values));
}

/** The last row of each of these keys. */
export async function latestOf(
  scope: WriteScope,
  { marketplace, accountId }: AccountSource,
  report: string,
  keys: readonly string[],
): Promise<StoredMovement[]> {
  if (keys.length === 0) return [];
  const given = keys.map((key) => ({ key }));
  const rows = await scope.prepared(LATEST, LATEST.values([marketplace, accountId, report], given));
  return rows.map(movementOf);
}

/** The last row of each key of a time or of a payout, without those that were taken back. */
export async function latestCovered(
  scope: WriteScope,
  { marketplace, accountId }: AccountSource,
  report: string,
  covers: CoveredTime | { readonly payoutId: string },
): Promise<StoredMovement[]> {
  const account = [marketplace, accountId, report];
  const rows =
    'payoutId' in covers
      ? await scope.prepared(LATEST_OF_PAYOUT, [...account, covers.payoutId])
      : await scope.prepared(LATEST_OF_TIME, [
          ...account,
          formatMicros(covers.from),
          formatMicros(covers.to),
        ]);
  return rows.map(movementOf).filter(({ isCorrection }) => !isCorrection);
}

export async function hasAny(
  scope: WriteScope,
  { marketplace, accountId }: AccountSource,
  report: string,
): Promise<boolean> {
  return (await scope.prepared(ANY, [marketplace, accountId, report])).length > 0;
}

function movementOf(row: MovementRow): StoredMovement {
  return {
    key: row.key,
    revision: row.revision,
    isCorrection: row.is_correction,
    kind: row.kind as MovementKind,
    amount: row.amount,
    currency: row.currency,
    at: row.at,
    nativeType: row.native_type,
    orderId: row.order_id,
    payoutId: row.payout_id,
    isOpen: row.is_open,
  };
}
