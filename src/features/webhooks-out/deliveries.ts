import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { resolveAlert } from '../alerts/index.ts';
import type { Doer } from '../trail/index.ts';
import { emit } from './emit.ts';
import type { DisabledBecause } from './endpoint.ts';
import { ENDPOINT_ALERTS, getEndpoint, note } from './endpoints.ts';
import { bodyOf } from './event.ts';
import type { Judged } from './judge.ts';
import { pauseAfter, waitAfter } from './retry-schedule.ts';
import { type OpenedEndpoint, openBoxes } from './sealed.ts';
import { wasTried } from './store-attempts.ts';
import * as store from './store-deliveries.ts';
import { disable } from './store-endpoints.ts';

/** Deliveries of one endpoint under way at once. */
const AT_ONCE = 10;
const FAILING_HOURS = 5 * 24;
/** A day without a try is no day of failures. The schedule never waits so long between two. */
const QUIET_HOURS = 24;

export interface DueEndpoint {
  readonly organizationId: string;
  readonly endpointId: string;
}

/** An endpoint that this process alone delivers to. */
export interface TakenEndpoint extends OpenedEndpoint, store.Lease {
  readonly url: string;
  readonly isOperatorTrusted: boolean;
  readonly ratePerMinute: number | null;
  readonly isFailing: boolean;
}

export interface Claimed {
  readonly eventId: string;
  readonly eventAt: Instant;
  readonly type: string;
  /** Those before this one. */
  readonly tries: number;
  readonly body: string;
}

/** What came of a try. */
interface Settled {
  readonly disabled: DisabledBecause | null;
  readonly isExhausted: boolean;
}

/** Of all organisations, those that something is to be delivered to now. */
export async function dueEndpoints(handle: Handle, now: Instant): Promise<DueEndpoint[]> {
  const rows = await store.due(handle, now);
  return rows.map((row) => ({ organizationId: row.organization_id, endpointId: row.id }));
}

/**
 * Takes an endpoint, or keeps it: for half a minute no other process delivers to it.
 * @returns null where another one has it, or it is disabled or paused
 * @throws SealError where its secret does not open
 */
export async function takeEndpoint(
  scope: WriteScope,
  held: store.Lease,
): Promise<TakenEndpoint | null> {
  const now = scope.clock.now();
  const row = await store.take(scope, held, now);
  if (!row) return null;
  const { former_secret_box: former, former_secret_until: until } = row;
  const signsTwice = former !== null && until !== null && isBefore(now, until);
  const secrets = signsTwice ? [row.secret_box, former] : [row.secret_box];
  return {
    ...held,
    ...(await openBoxes(scope, held.endpointId, { secrets, headers: row.headers_box })),
    url: row.url,
    isOperatorTrusted: row.is_operator_trusted,
    ratePerMinute: row.rate_per_minute,
    isFailing: row.failing_since !== null,
  };
}

export function releaseEndpoint(scope: WriteScope, held: store.Lease): Promise<void> {
  return store.release(scope, held);
}

export function pauseEndpoint(
  scope: WriteScope,
  endpointId: string,
  seconds: number,
): Promise<void> {
  const now = scope.clock.now();
  return store.pause(scope, endpointId, { now, until: after(now, seconds) });
}

/** Leaves an endpoint alone whose organisation gets no events now, with no failures counted. */
export function barEndpoint(scope: WriteScope, endpointId: string, seconds: number): Promise<void> {
  return store.bar(scope, endpointId, after(scope.clock.now(), seconds));
}

/** The deliveries whose time has come: some at once, or one where the last try failed. */
export async function claimDeliveries(
  scope: WriteScope,
  endpoint: TakenEndpoint,
): Promise<Claimed[]> {
  const now = scope.clock.now();
  const most = Math.min(endpoint.isFailing ? 1 : AT_ONCE, await placesLeft(scope, endpoint, now));
  if (most <= 0) return [];
  const rows = await store.claim(scope, endpoint, now, most);
  return rows.map((row) => ({
    eventId: row.event_id,
    eventAt: row.event_at,
    type: row.type,
    tries: row.tries,
    body: bodyOf({
      organizationId: scope.organizationId,
      id: row.event_id,
      type: row.type,
      at: row.event_at,
      loggedAt: row.logged_at,
      data: row.data,
      envelope: row.envelope,
    }),
  }));
}

/**
 * Records how a try ended, and what follows: the next one, a pause, or the end of the delivery or
 * the endpoint.
 * @param at when it began
 */
export async function settleTry(
  scope: WriteScope,
  endpoint: TakenEndpoint,
  claimed: Claimed,
  judged: Judged,
  time: { readonly at: Instant; readonly milliseconds: number; readonly random: number },
): Promise<Settled> {
  const now = scope.clock.now();
  const { endpointId } = endpoint;
  const next = nextState(claimed, judged, time.random);
  const delivery = { event_id: claimed.eventId, event_at: claimed.eventAt };
  const dueAt = next.seconds === null ? null : after(now, next.seconds);
  const isOurs = await store.settle(scope, endpoint, delivery, next.state, dueAt);
  await store.noteAttempt(scope, {
    id: newId(),
    endpointId,
    at: time.at,
    eventId: claimed.eventId,
    eventType: claimed.type,
    number: claimed.tries + 1,
    outcome: judged.outcome,
    status: judged.status,
    milliseconds: time.milliseconds,
    answer: judged.answer,
  });
  const isExhausted = isOurs && next.state === 'exhausted';
  if (isExhausted) await announceExhausted(scope, endpointId, claimed);
  const disabled = await judgeEndpoint(scope, endpointId, judged, { at: time.at, now });
  return { disabled, isExhausted };
}

/**
 * Sends one event again, or all that failed since a time. What is being sent at this moment is not
 * sent twice.
 * @returns how many
 * @throws Failure not_found, invalid_request, webhook_endpoint_disabled
 */
export async function resendEvents(
  scope: WriteScope,
  by: Doer,
  endpointId: string,
  what: { readonly eventId: string | null; readonly since: Instant | null },
): Promise<number> {
  if ((what.eventId === null) === (what.since === null))
    throw invalid(
      'event_id',
      'Indica un evento o desde cuándo se envían de nuevo los fallidos, pero no los dos.',
    );
  const endpoint = await getEndpoint(scope, endpointId);
  if (endpoint.state !== 'enabled') throw fail('webhook_endpoint_disabled');
  const count = await store.resend(scope, endpointId, what, scope.clock.now());
  if (
    what.eventId !== null &&
    count === 0 &&
    !(await store.isKnown(scope, endpointId, what.eventId))
  )
    throw fail('not_found', { message: 'No existe ese evento para este endpoint.' });
  // One that fails again raises its alert again, with a mail.
  if (count > 0 && !(await store.hasExhausted(scope, endpointId)))
    await resolveAlert(scope, ENDPOINT_ALERTS.exhausted, endpointId);
  await note(scope, by, 'webhook_events_resent', endpoint);
  return count;
}

function nextState({ tries }: Claimed, { verdict, retryAfterSeconds }: Judged, random: number) {
  if (verdict === 'delivered') return { state: 'delivered', seconds: null } as const;
  if (verdict === 'aborted') return { state: 'aborted', seconds: null } as const;
  const seconds = waitAfter(tries + 1, retryAfterSeconds, random);
  return seconds === null
    ? ({ state: 'exhausted', seconds } as const)
    : ({ state: 'pending', seconds } as const);
}

async function judgeEndpoint(
  scope: WriteScope,
  endpointId: string,
  judged: Judged,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): Promise<DisabledBecause | null> {
  if (judged.endsEndpoint) return end(scope, endpointId, 'gone', now);
  if (judged.verdict !== 'failed') {
    await store.noteSuccess(scope, endpointId, now);
    return null;
  }
  const quiet = at.subtract({ hours: QUIET_HOURS });
  const isFirst = !(await wasTried(scope, endpointId, quiet, at));
  const noted = await store.noteFailure(scope, endpointId, now, { isSlow: judged.isSlow, isFirst });
  if (!noted) return null;
  if (judged.isSlow) await pauseEndpoint(scope, endpointId, pauseAfter(noted.slow_downs - 1));
  const isOver = isBefore(noted.failing_since.add({ hours: FAILING_HOURS }), now);
  return isOver ? end(scope, endpointId, 'failing', now) : null;
}

/** @returns null where it was disabled already */
async function end(
  scope: WriteScope,
  endpointId: string,
  because: DisabledBecause,
  now: Instant,
): Promise<DisabledBecause | null> {
  if (!(await disable(scope, endpointId, because, now))) return null;
  const data = JSON.stringify({ endpoint_id: endpointId, reason: because });
  await emit(scope, [{ type: 'endpoint.disabled', at: now, data }]);
  return because;
}

/** An event about an event that was given up causes no third one. */
async function announceExhausted(
  scope: WriteScope,
  endpointId: string,
  { eventId, type }: Claimed,
): Promise<void> {
  if (type === 'message.exhausted') return;
  const data = JSON.stringify({ endpoint_id: endpointId, event_id: eventId, event_type: type });
  await emit(scope, [{ type: 'message.exhausted', at: scope.clock.now(), data }]);
}

/** Where the rate leaves none, the endpoint pauses until it does. */
async function placesLeft(
  scope: WriteScope,
  { endpointId, ratePerMinute }: TakenEndpoint,
  now: Instant,
): Promise<number> {
  if (ratePerMinute === null) return AT_ONCE;
  const { count, first } = await store.recent(scope, endpointId, now);
  const left = ratePerMinute - count;
  const until = after(first ?? now, store.RATE_SECONDS);
  if (left <= 0) await store.pause(scope, endpointId, { now, until });
  return left;
}

function after(at: Instant, seconds: number): Instant {
  return at.add({ milliseconds: Math.round(seconds * 1_000) });
}

function isBefore(a: Instant, b: Instant): boolean {
  return Temporal.Instant.compare(a, b) < 0;
}
