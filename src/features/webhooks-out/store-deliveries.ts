import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface TakenRow {
  readonly url: string;
  readonly rate_per_minute: number | null;
  readonly is_operator_trusted: boolean;
  readonly secret_box: Buffer;
  readonly former_secret_box: Buffer | null;
  readonly former_secret_until: Instant | null;
  readonly headers_box: Buffer | null;
  readonly failing_since: Instant | null;
}

export interface ClaimedRow {
  readonly event_id: string;
  readonly event_at: Instant;
  readonly tries: number;
  readonly type: string;
  readonly logged_at: Instant | null;
  readonly data: string;
  readonly envelope: string;
}

/** So long the rate of an endpoint is counted. */
export const RATE_SECONDS = 60;

/**
 * Leases are by the database's clock, which all processes share: a lease that another process takes
 * away too early is an event that is sent twice. Longer than a request may take; after that the
 * endpoint of a killed process is free again.
 */
const LEASE_END = "now() + interval '30 seconds'";
const IS_FREE = '(leased_until is null or leased_until <= now())';
/** The longest pause is ten minutes. A longer one is by a clock that was ahead, and over. */
const MOST_MINUTES = 11;
const isPausedAt = (now: string) =>
  `(paused_until > ${now} and paused_until <= ${now} + interval '${MOST_MINUTES} minutes')`;

/** Of all organisations; each endpoint is asked by the index of its own due deliveries. */
const DUE = search<{ organization_id: string; id: string }>(
  'webhook-deliveries.due',
  (isAmong) => `select organization_id, id from webhook_endpoints e
    where state = 'enabled'
      and ${IS_FREE} and ${isPausedAt('$1::timestamptz')} is not true
      and exists (
        select from webhook_deliveries d
         where ${isAmong('d.organization_id')} and d.organization_id = e.organization_id and d.endpoint_id = e.id
           and d.state = 'pending' and d.due_at <= $1::timestamptz)`,
);
/** Also prolongs the lease of its holder. */
const TAKE = statement<TakenRow>(
  'webhook-endpoints.take',
  `update webhook_endpoints set lease = $3::uuid, leased_until = ${LEASE_END}
    where organization_id = $1 and id = $2::uuid and state = 'enabled'
      and (lease = $3::uuid or ${IS_FREE}) and ${isPausedAt('$4::timestamptz')} is not true
   returning url, rate_per_minute, is_operator_trusted, secret_box, former_secret_box,
     former_secret_until, headers_box, failing_since`,
);
const RELEASE = statement<object>(
  'webhook-endpoints.release',
  `update webhook_endpoints set lease = null, leased_until = null
    where organization_id = $1 and id = $2::uuid and lease = $3::uuid`,
);
/** A longer one stays. Citus takes no sum of a time in a CASE. */
const PAUSE = statement<object>(
  'webhook-endpoints.pause',
  `update webhook_endpoints
      set paused_until = greatest($3::timestamptz,
            case when paused_until <= $4::timestamptz then paused_until end)
    where organization_id = $1 and id = $2::uuid`,
);
/** Nothing is sent to it, so it does not fail either. */
const BAR = statement<object>(
  'webhook-endpoints.bar',
  `update webhook_endpoints set failing_since = null, paused_until = $3::timestamptz
    where organization_id = $1 and id = $2::uuid`,
);
const RECENT = statement<{ count: number; first: Instant | null }>(
  'webhook-attempts.recent',
  `select count(*)::int as count, min(at) as first from webhook_attempts
    where organization_id = $1 and endpoint_id = $2::uuid
      and at > $3::timestamptz - interval '${RATE_SECONDS} seconds'
      and at <= $3::timestamptz + interval '1 minute'`,
);
const CLAIM = statement<ClaimedRow>(
  'webhook-deliveries.claim',
  `with claimed as (
     update webhook_deliveries set lease = $3::uuid, leased_until = ${LEASE_END}
      where organization_id = $1 and (endpoint_id, event_at, event_id) in (
        select endpoint_id, event_at, event_id from webhook_deliveries
         where organization_id = $1 and endpoint_id = $2::uuid and state = 'pending'
           and due_at <= $4::timestamptz and ${IS_FREE}
         order by due_at limit $5::int for update skip locked)
     returning event_id, event_at, tries)
   select claimed.event_id, claimed.event_at, tries, type, logged_at, data, envelope
     from claimed join events on events.organization_id = $1
      and events.created_at = claimed.event_at and events.id = claimed.event_id
    order by claimed.event_at, claimed.event_id`,
);
/** Only the process that holds the delivery notes how its try ended. */
const SETTLE = statement<object>(
  'webhook-deliveries.settle',
  `update webhook_deliveries
      set state = $6, tries = tries + 1, due_at = coalesce($7::timestamptz, due_at),
          lease = null, leased_until = null
    where organization_id = $1 and endpoint_id = $2::uuid and event_at = $3::timestamptz
      and event_id = $4 and lease = $5::uuid
   returning 1`,
);
const NOTE = statement<object>(
  'webhook-attempts.add',
  `insert into webhook_attempts (organization_id, endpoint_id, at, id, event_id, event_type, try,
     outcome, status, milliseconds, answer)
   values ($1, $2::uuid, $3::timestamptz, $4::uuid, $5, $6, $7::int, $8, $9::int, $10::int, $11)`,
);
/** A pause that another delivery of the same batch caused stays. */
const SUCCEEDED = statement<object>(
  'webhook-endpoints.succeeded',
  `update webhook_endpoints set failing_since = null, slow_downs = 0
    where organization_id = $1 and id = $2::uuid
      and (failing_since is not null or slow_downs > 0)
      and ${isPausedAt('$3::timestamptz')} is not true`,
);
const FAILED = statement<{ failing_since: Instant; slow_downs: number }>(
  'webhook-endpoints.failed',
  `update webhook_endpoints
      set failing_since = case when $5::boolean then $3::timestamptz
                               else coalesce(failing_since, $3::timestamptz) end,
          slow_downs = slow_downs + $4::int
    where organization_id = $1 and id = $2::uuid
   returning failing_since, slow_downs`,
);
/** What is being sent now is left: its own end decides. */
const HAS_EXHAUSTED = statement<object>(
  'webhook-deliveries.has-exhausted',
  `select 1 from webhook_deliveries
    where organization_id = $1 and endpoint_id = $2::uuid and state = 'exhausted' limit 1`,
);
const RESEND = statement<{ event_id: string }>(
  'webhook-deliveries.resend',
  `update webhook_deliveries
      set state = 'pending', tries = 0, due_at = least($3::timestamptz, now()),
          lease = null, leased_until = null
    where organization_id = $1 and endpoint_id = $2::uuid
      and ${IS_FREE}
      and case when $4::text is not null then event_id = $4
               else event_at >= $5::timestamptz
                and (state in ('exhausted', 'aborted') or state = 'pending' and tries > 0) end
   returning event_id`,
);

export function due(handle: Handle, now: Instant) {
  return handle.search(DUE, [now.toString()]);
}

export interface Lease {
  readonly endpointId: string;
  readonly lease: string;
}

/** @returns null where another process has it, or it is disabled or paused */
export async function take(
  scope: WriteScope,
  { endpointId, lease }: Lease,
  now: Instant,
): Promise<TakenRow | null> {
  const values = [endpointId, lease, now.toString()];
  return (await scope.prepared(TAKE, values))[0] ?? null;
}

export async function release(scope: WriteScope, { endpointId, lease }: Lease): Promise<void> {
  await scope.prepared(RELEASE, [endpointId, lease]);
}

export async function pause(
  scope: WriteScope,
  endpointId: string,
  time: { readonly now: Instant; readonly until: Instant },
): Promise<void> {
  const latest = time.now.add({ minutes: MOST_MINUTES });
  await scope.prepared(PAUSE, [endpointId, time.until.toString(), latest.toString()]);
}

export async function bar(scope: WriteScope, endpointId: string, until: Instant): Promise<void> {
  await scope.prepared(BAR, [endpointId, until.toString()]);
}

/** Attempts of the last minute. */
export async function recent(scope: WriteScope, endpointId: string, now: Instant) {
  const [row] = await scope.prepared(RECENT, [endpointId, now.toString()]);
  return { count: row?.count ?? 0, first: row?.first ?? null };
}

export function claim(
  scope: WriteScope,
  { endpointId, lease }: Lease,
  now: Instant,
  most: number,
): Promise<ClaimedRow[]> {
  const values = [endpointId, lease, now.toString(), most];
  return scope.prepared(CLAIM, values);
}

/** @param next null = never @returns false when another process has it by now */
export async function settle(
  scope: WriteScope,
  { endpointId, lease }: Lease,
  delivery: Pick<ClaimedRow, 'event_at' | 'event_id'>,
  state: 'pending' | 'delivered' | 'exhausted' | 'aborted',
  next: Instant | null,
): Promise<boolean> {
  const { event_at, event_id } = delivery;
  const values = [endpointId, event_at.toString(), event_id, lease, state];
  return (await scope.prepared(SETTLE, [...values, next?.toString() ?? null])).length > 0;
}

interface Attempt {
  readonly id: string;
  readonly endpointId: string;
  readonly at: Instant;
  readonly eventId: string;
  readonly eventType: string;
  readonly number: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly answer: string;
}

export async function noteAttempt(scope: WriteScope, attempt: Attempt): Promise<void> {
  const { endpointId, at, id, eventId, eventType, number, outcome } = attempt;
  const { status, milliseconds, answer } = attempt;
  const values = [endpointId, at.toString(), id, eventId, eventType, number, outcome];
  await scope.prepared(NOTE, [...values, status, milliseconds, answer]);
}

export async function noteSuccess(
  scope: WriteScope,
  endpointId: string,
  at: Instant,
): Promise<void> {
  await scope.prepared(SUCCEEDED, [endpointId, at.toString()]);
}

/**
 * @param isFirst it begins anew
 * @returns since when it has failed without a success in between, and how often it was slow
 */
export async function noteFailure(
  scope: WriteScope,
  endpointId: string,
  at: Instant,
  { isSlow, isFirst }: { readonly isSlow: boolean; readonly isFirst: boolean },
): Promise<{ failing_since: Instant; slow_downs: number } | null> {
  const values = [endpointId, at.toString(), isSlow ? 1 : 0, isFirst];
  return (await scope.prepared(FAILED, values))[0] ?? null;
}

/** @returns how many are sent again */
export async function resend(
  scope: WriteScope,
  endpointId: string,
  what: { readonly eventId: string | null; readonly since: Instant | null },
  now: Instant,
): Promise<number> {
  const values = [endpointId, now.toString(), what.eventId, what.since?.toString() ?? null];
  return (await scope.prepared(RESEND, values)).length;
}

/** Whether an event was given up there. */
export async function hasExhausted(scope: WriteScope, endpointId: string): Promise<boolean> {
  return (await scope.prepared(HAS_EXHAUSTED, [endpointId])).length > 0;
}

/** Whether the event was ever to be delivered there. */
export async function isKnown(
  scope: WriteScope,
  endpointId: string,
  eventId: string,
): Promise<boolean> {
  const found = await scope.first(
    scope
      .select('webhook_deliveries')
      .select('event_id')
      .where('endpoint_id', '=', endpointId)
      .where('event_id', '=', eventId),
  );
  return found !== undefined;
}
