import type { Marketplace } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { LOCK_KINDS } from '../../platform/db/lock-kinds.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import { newId } from '../../platform/ids.ts';
import type { Decimal } from '../../platform/money.ts';
import { compareInstants, formatMicros, type Instant } from '../../platform/time.ts';
import { FINDING_STATES, type FindingKind, type FindingState } from './kinds.ts';
import { FEE_DAYS } from './store-fee-rules.ts';
import type { FoundRow } from './store-rule.ts';

/** A finding as stored. */
export interface FindingRow {
  readonly id: string;
  /** Empty, as `account_id`, where it concerns no single account. */
  readonly marketplace: Marketplace | '';
  readonly account_id: string;
  readonly kind: FindingKind;
  readonly subject: string;
  readonly state: FindingState;
  readonly amount: Decimal;
  readonly expected: Decimal | null;
  readonly currency: string;
  readonly since: Instant;
  readonly found_at: Instant;
  readonly changed_at: Instant;
  readonly note: string | null;
}

/** An account, or the organisation itself. */
export interface AccountOrOrganization {
  readonly marketplace: Marketplace | '';
  readonly accountId: string;
}

/** Of findings that concern no single account. */
export const ORGANIZATION: AccountOrOrganization = { marketplace: '', accountId: '' };

const FOUND = bulk('findings', [
  'id',
  'kind',
  'subject',
  'amount',
  'expected',
  'currency',
  'since',
]);

/** What a person explained stays so while its amount is the same; all else that is found is open. */
const RECORD = FOUND.statement<{ id: string }>(
  'findings.record',
  (
    given,
  ) => `insert into findings (organization_id, marketplace, account_id, state, found_at, changed_at, ${FOUND.names})
   select $1, $2::text, $3::text, 'open', $4::timestamptz, $4::timestamptz, given.* from ${given}
   on conflict (organization_id, marketplace, account_id, kind, subject) do update
     set state = 'open', changed_at = excluded.changed_at, amount = excluded.amount,
         expected = excluded.expected, currency = excluded.currency, since = excluded.since,
         found_at = case when findings.state = 'resolved' then excluded.found_at else findings.found_at end,
         note = case when findings.state = 'resolved' then null else findings.note end
   where findings.state = 'resolved' or findings.amount <> excluded.amount
     or findings.currency <> excluded.currency
     or findings.expected is distinct from excluded.expected
   returning id`,
);
const KEYS = bulk('findings', ['kind', 'subject']);
/** What is older than its rule looks at stays as it is, and so does what no rule looked for. */
const RESOLVE = KEYS.statement<{ id: string }>(
  'findings.resolve',
  (given) => `update findings f set state = 'resolved', changed_at = $4::timestamptz
    where f.organization_id = $1 and f.marketplace = $2::text and f.account_id = $3::text
      and f.state <> 'resolved' and f.since >= $5::timestamptz and f.kind = any($6::text[])
      and (f.kind <> 'fee_unusual' or f.since >= $4::timestamptz - interval '${FEE_DAYS} days')
      and not exists (select from ${given} where given.kind = f.kind and given.subject = f.subject)
   returning f.id`,
);
const LOCK = statement<object>(
  'findings.lock',
  `select pg_advisory_xact_lock(${LOCK_KINDS.findings}, hashtext($1::uuid::text))`,
);
const SHOWN = `id, marketplace, account_id, kind, subject, state, amount, expected, currency, since, found_at,
  changed_at, note`;
/** A walk for each state: the index has one after the other. */
const PAGE = statement<FindingRow>(
  'findings.page',
  `select page.* from unnest($2::text[]) as wanted (state) cross join lateral (
     select ${SHOWN} from findings
      where organization_id = $1 and state = wanted.state
        and ($3::text is null or kind = $3::text) and ($4::text is null or marketplace = $4::text)
        and ($5::timestamptz is null or (since, id) < ($5::timestamptz, $6::uuid))
      order by since desc, id desc limit $7) page
   order by since desc, id desc limit $7`,
);
const ONE = statement<FindingRow>(
  'findings.one',
  `select ${SHOWN} from findings where organization_id = $1 and id = $2::uuid`,
);
const EXPLAIN = statement<FindingRow>(
  'findings.explain',
  `update findings set state = $3::text, note = $4::text, changed_at = $5::timestamptz
    where organization_id = $1 and id = $2::uuid and state <> 'resolved' returning ${SHOWN}`,
);

const ACCOUNTS = statement<{ marketplace: Marketplace; account_id: string }>(
  'findings.accounts',
  `select marketplace, account_id from orders where organization_id = $1
   union
   select marketplace, account_id from findings
    where organization_id = $1 and state <> 'resolved' and marketplace <> ''`,
);

/** Resolved findings are kept as long as the ledger. */
const KEEP_DAYS = 6 * 366;

export const RETENTIONS = [
  retention(
    'findings',
    KEEP_DAYS,
    removeBefore('findings.remove', 'findings', 'changed_at', () => `state = 'resolved'`),
  ),
];

/** One run of the rules at a time, until the transaction ends. */
export async function lock(scope: WriteScope): Promise<void> {
  await scope.prepared(LOCK, []);
}

/** Older ones are left as they are. @returns how many are new, changed or open again */
export async function record(
  scope: WriteScope,
  { marketplace, accountId }: AccountOrOrganization,
  found: ReadonlyMap<FindingKind, readonly FoundRow[]>,
  oldest: Instant,
): Promise<number> {
  const rows = [...found].flatMap(([kind, ofKind]) =>
    ofKind
      .filter(({ since }) => compareInstants(since, oldest) >= 0)
      .map(({ since, ...row }) => ({ ...row, id: newId(), kind, since: formatMicros(since) })),
  );
  if (rows.length === 0) return 0;
  const given = [marketplace, accountId, formatMicros(scope.clock.now())];
  return (await scope.prepared(RECORD, RECORD.values(given, rows))).length;
}

/** Ends those that were looked for and not found. @returns how many */
export async function resolveOthers(
  scope: WriteScope,
  { marketplace, accountId }: AccountOrOrganization,
  found: ReadonlyMap<FindingKind, readonly FoundRow[]>,
  oldest: Instant,
): Promise<number> {
  const keys = [...found].flatMap(([kind, rows]) => rows.map(({ subject }) => ({ kind, subject })));
  const times = [formatMicros(scope.clock.now()), formatMicros(oldest)];
  const given = [marketplace, accountId, ...times, [...found.keys()]];
  return (await scope.prepared(RESOLVE, RESOLVE.values(given, keys))).length;
}

/** Accounts with orders, or with findings that are not resolved. */
export function accounts(scope: ReadScope) {
  return scope.prepared(ACCOUNTS, []);
}

interface FindingPageRequest {
  /** Null = any. */
  readonly state: FindingState | null;
  readonly kind: FindingKind | null;
  readonly marketplace: Marketplace | null;
  readonly after: readonly [string, string] | null;
  readonly limit: number;
}

export function page(
  scope: ReadScope,
  { state, kind, marketplace, after, limit }: FindingPageRequest,
): Promise<FindingRow[]> {
  const states = state === null ? FINDING_STATES : [state];
  const [since = null, id = null] = after ?? [];
  return scope.prepared(PAGE, [states, kind, marketplace, since, id, limit]);
}

export async function one(scope: ReadScope, id: string): Promise<FindingRow | null> {
  return (await scope.prepared(ONE, [id]))[0] ?? null;
}

export async function explain(
  scope: WriteScope,
  id: string,
  state: FindingState,
  note: string | null,
): Promise<FindingRow | null> {
  const now = formatMicros(scope.clock.now());
  return (await scope.prepared(EXPLAIN, [id, state, note, now]))[0] ?? null;
}
