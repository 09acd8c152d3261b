import type { Instant } from '../../platform/time.ts';
import type { Call, Page, SourceOrder, StreamRequest, Window } from '../contract.ts';
import { tooLargeIn } from '../too-large.ts';
import { isAnswerTooLarge } from '../upstream-error.ts';
import type { VtexCredentials } from './credentials.ts';
import { commit, FEED, feedState, HIDDEN_SECONDS, readLot } from './feed.ts';
import { type At, type Feed, type Lot, OPEN, pack } from './position.ts';
import { readOrders, type Unready } from './read-orders.ts';
import { sliceOf } from './slices.ts';
import type { FeedEvent } from './wire.ts';

// The phases of a sync run that read the feed, lot after lot.

type VtexCall = Call<VtexCredentials>;

/**
 * The list shows an order about four minutes after it was placed; the next tick comes after five.
 */
const INDEX_LAG_SECONDS = 280;
/** An event of an unavailable order is repeated for so long: it may precede the order. */
const MISSING_MINUTES = 60;
/** After so many events in a row that are too large the feed is at fault, and the sync run leaves it. */
const MOST_LARGE = 10;
/** A first import has listed what is older. */
const LEFT_HOURS = 1;

/**
 * A page of its own, without orders: a shop's few orders fill lot after lot, and no page repeats
 * for all that.
 */
export async function lookAtQueue(
  call: VtexCall,
  _pass: StreamRequest,
  position: At<'queue'>,
): Promise<Page<SourceOrder>> {
  const isOurs = (await feedState(call)) === 'ours';
  return { items: [], next: isOurs ? pack({ ...position, phase: 'lot' }) : OPEN };
}

/**
 * Events name orders reliably, but not their states: each order is read once, whatever its events
 * say.
 */
export async function readEvents(
  call: VtexCall,
  { limit, window }: StreamRequest,
  at: At<'lot'>,
): Promise<Page<SourceOrder>> {
  try {
    return await readLotOf(call, at, at.large === undefined ? limit : 1);
  } catch (error) {
    if (!isAnswerTooLarge(error)) throw error;
    return at.large === undefined ? hidden(call, at.feed) : leaveLarge(call, at, window);
  }
}

async function readLotOf(
  call: VtexCall,
  { feed, lot, large }: Lot,
  limit: number,
): Promise<Page<SourceOrder>> {
  const events = await readLot(call, limit);
  if (events.length === 0) return { items: [], ...behindFeed(call, feed) };
  const ids = new Set(events.map(({ orderId }) => orderId).filter((id) => id !== null));
  const { reads, unready } = await readOrders(call, [...ids]);
  // What is not committed comes again after the visibility time.
  const done = events.filter((event) => !isAwaited(event, unready, call.now()));
  const next = { feed, lot: lot + 1, ...(large === undefined ? {} : { large: 0 }) };
  return {
    items: reads,
    next: pack({ phase: 'queue', ...next }),
    acknowledge: () => commit(call, done),
  };
}

/** A smaller lot would not have these events: the feed hides what it handed out. */
function hidden(call: VtexCall, feed: Feed): Page<SourceOrder> {
  const until = call.now().add({ seconds: HIDDEN_SECONDS }).epochMilliseconds;
  return { items: [], ...waitUntil(call, { phase: 'hidden', feed, until }) };
}

export async function waitForHidden(
  call: VtexCall,
  _pass: StreamRequest,
  position: At<'hidden'>,
): Promise<Page<SourceOrder>> {
  const isEarly = call.now().epochMilliseconds < position.until;
  if (isEarly) return { items: [], ...waitUntil(call, position) };
  return { items: [], next: pack({ phase: 'queue', feed: position.feed, lot: 0, large: 0 }) };
}

/** Without its handle it cannot be committed: it stays in the feed, which keeps it for two weeks. */
function leaveLarge(
  call: VtexCall,
  { feed, lot, large = 0 }: Lot,
  window: Window,
): Page<SourceOrder> {
  const items = [tooLargeIn(FEED)];
  if (large + 1 >= MOST_LARGE)
    return { items, ...(feed === 'fresh' ? behindFeed(call, feed) : leaveFeed(window)) };
  return { items, next: pack({ phase: 'queue', feed, lot: lot + 1, large: large + 1 }) };
}

/** The list has new orders, and the hourly reconciliation reads the changes of those that are open. */
function leaveFeed({ from, to }: Window): Pick<Page<never>, 'next'> {
  const slice = sliceOf({ from: from ?? to.subtract({ hours: LEFT_HOURS }), to });
  return { next: pack({ phase: 'list', feed: 'left', slice }) };
}

/** What was placed just before the feed was made is in neither, until the list has caught up. */
function behindFeed(call: VtexCall, feed: Feed): Pick<Page<never>, 'next' | 'pauseSeconds'> {
  if (feed !== 'fresh') return { next: OPEN };
  const until = call.now().add({ seconds: INDEX_LAG_SECONDS }).epochMilliseconds;
  return waitUntil(call, { phase: 'late', until });
}

/** Without a request before that. */
export function waitUntil(call: VtexCall, position: At<'hidden' | 'late'>) {
  const pauseSeconds = Math.ceil((position.until - call.now().epochMilliseconds) / 1_000);
  return { next: pack(position), pauseSeconds };
}

function isAwaited({ orderId, currentChange }: FeedEvent, unready: Unready, now: Instant): boolean {
  const why = orderId === null ? undefined : unready.get(orderId);
  if (why !== 'missing') return why === 'incomplete';
  const patience = now.subtract({ minutes: MISSING_MINUTES });
  return currentChange !== null && Temporal.Instant.compare(currentChange, patience) > 0;
}
