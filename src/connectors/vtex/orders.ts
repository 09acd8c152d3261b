import type { Instant } from '../../platform/time.ts';
import type { Call, Page, Pass, Read, SourceOrder, Stream, Window } from '../contract.ts';
import { apart, documentOrNull, nameIn, readOne, tooLargeIn } from '../kit.ts';
import type { VtexCredentials } from './credentials.ts';
import { commit, createFeed, type FeedState, feedState, readLot } from './feed.ts';
import { behindLarge, PAGE_SIZE, readSlice, type Slice, sliceOf } from './slices.ts';
import { type FeedEvent, isIncomplete, OrderRow, toSourceOrder } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

/**
 * The list shows an order about four minutes after it was placed; the next tick comes after five.
 */
const INDEX_LAG_SECONDS = 280;
const LOOK_BACK_HOURS = 3;
const OPEN_AT_ONCE = 20;
/**
 * An order is looked at again once a day until it is 60 days old: every two hours those of five of
 * its days.
 */
const DELIVERED_TURNS = 12;
/** An event of an unavailable order is repeated for so long: it may precede the order. */
const MISSING_MINUTES = 60;
const HOURS_OF_TURN = 2;
const DAYS_OF_TURN = 5;

/**
 * What the feed gives in this pass. `fresh`: it was made in this pass, and has nothing of what was
 * placed shortly before. `foreign`: it is another system's, and reading it would steal what that
 * one waits for.
 */
type Feed = FeedState | 'fresh';

type Position =
  | { readonly phase: 'list'; readonly feed: Feed; readonly slice: Slice }
  /** Before every lot: is the queue still ours? */
  | { readonly phase: 'queue'; readonly feed: Feed; readonly lot: number }
  | { readonly phase: 'lot'; readonly feed: Feed; readonly lot: number }
  /** What was placed by then is listed by then. */
  | { readonly phase: 'late'; readonly until: number }
  | { readonly phase: 'open'; readonly after: string | null }
  | { readonly phase: 'delivered'; readonly after: string | null };

type Phases = {
  [Phase in Position['phase']]: (
    call: VtexCall,
    pass: Pass,
    position: Extract<Position, { phase: Phase }>,
  ) => Promise<Page<SourceOrder>>;
};

const OPEN = pack({ phase: 'open', after: null });
const DELIVERED: Position = { phase: 'delivered', after: null };

const PHASES: Phases = {
  list: readList,
  queue: lookAtQueue,
  lot: readEvents,
  late: waitForIndex,
  open: readOpen,
  delivered: readDelivered,
};

export const orders: Stream<SourceOrder, VtexCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 30 },
  pageSize: PAGE_SIZE,

  async page(call, pass) {
    const position = await positionOf(call, pass);
    const read = PHASES[position.phase] as Phases['list'];
    return read(call, pass, position as Extract<Position, { phase: 'list' }>);
  },

  async tooLarge(call, pass) {
    const position = await positionOf(call, pass);
    if (position.phase !== 'list') return null;
    const next = pack({ ...position, slice: behindLarge(position.slice) });
    return { items: [tooLargeIn('/api/oms/pvt/orders')], next };
  },

  async one(call, id) {
    const { reads } = await readOrders(call, [id]);
    return reads;
  },
};

async function positionOf(call: VtexCall, pass: Pass): Promise<Position> {
  return pass.position === null ? start(call, pass) : JSON.parse(pass.position);
}

/**
 * The list serves a first import, the time before there was a feed of ours, and a look back once an
 * hour.
 */
async function start(call: VtexCall, { window }: Pass): Promise<Position> {
  const feed = await feedState(call);
  if (window.from === null || feed !== 'ours')
    return { phase: 'list', feed, slice: sliceOf(window) };
  const isHourBegun = window.to.toZonedDateTimeISO('UTC').minute < orders.every.minutes;
  return isHourBegun
    ? { phase: 'list', feed, slice: sliceOf(lookBack(window)) }
    : { phase: 'lot', feed, lot: 0 };
}

/**
 * Another reader of the feed with the same key removes events; new orders are found all the same.
 */
function lookBack({ from, to }: Window): Window {
  const back = to.subtract({ hours: LOOK_BACK_HOURS });
  return { from: from && Temporal.Instant.compare(from, back) < 0 ? from : back, to };
}

async function readList(
  call: VtexCall,
  { limit }: Pass,
  { feed, slice }: Extract<Position, { phase: 'list' }>,
): Promise<Page<SourceOrder>> {
  const { rows, next } = await readSlice(call, 'creationDate', slice, limit);
  const named = rows.map((row) =>
    readOne(
      row,
      (it) => OrderRow.parse(it).orderId,
      (it) => nameIn(it, 'orderId'),
    ),
  );
  const nameless = named.filter((read) => !read.ok);
  const { reads } = await readOrders(
    call,
    named.filter((read) => read.ok).map((read) => read.item),
  );
  const then = await madeSure(call, feed);
  return {
    items: [...reads, ...nameless],
    next: next ? pack({ phase: 'list', feed: then, slice: next }) : after(then),
  };
}

/**
 * Must be the last call of a page: if a later call failed, the feed would exist without a sync run
 * that knows its age.
 */
async function madeSure(call: VtexCall, feed: Feed): Promise<Feed> {
  if (feed !== 'none') return feed;
  await createFeed(call);
  return 'fresh';
}

function after(feed: Feed): string {
  return feed === 'foreign' ? OPEN : pack({ phase: 'queue', feed, lot: 0 });
}

/**
 * A page of its own, without orders: a shop's few orders fill lot after lot, and no page repeats
 * for all that.
 */
async function lookAtQueue(
  call: VtexCall,
  _pass: Pass,
  { feed, lot }: Extract<Position, { phase: 'queue' }>,
): Promise<Page<SourceOrder>> {
  const isOurs = (await feedState(call)) === 'ours';
  return { items: [], next: isOurs ? pack({ phase: 'lot', feed, lot }) : OPEN };
}

/**
 * Events name orders reliably, but not their states: each order is read once, whatever its events
 * say.
 */
async function readEvents(
  call: VtexCall,
  { limit }: Pass,
  { feed, lot }: Extract<Position, { phase: 'lot' }>,
): Promise<Page<SourceOrder>> {
  const events = await readLot(call, limit);
  if (events.length === 0) return feed === 'fresh' ? late(call) : { items: [], next: OPEN };
  const ids = new Set(events.map(({ orderId }) => orderId).filter((id) => id !== null));
  const { reads, unready } = await readOrders(call, [...ids]);
  // What is not committed comes again after the visibility time.
  const done = events.filter((event) => !isAwaited(event, unready, call.now()));
  return {
    items: reads,
    next: pack({ phase: 'queue', feed, lot: lot + 1 }),
    acknowledge: () => commit(call, done),
  };
}

function isAwaited({ orderId, currentChange }: FeedEvent, unready: Unready, now: Instant): boolean {
  const why = orderId === null ? undefined : unready.get(orderId);
  if (why !== 'missing') return why === 'incomplete';
  const patience = now.subtract({ minutes: MISSING_MINUTES });
  return currentChange !== null && Temporal.Instant.compare(currentChange, patience) > 0;
}

function late(call: VtexCall): Page<SourceOrder> {
  const until = call.now().add({ seconds: INDEX_LAG_SECONDS }).epochMilliseconds;
  return { items: [], next: pack({ phase: 'late', until }), pause: true };
}

/** What was placed just before the feed was made is in neither, until the list has caught up. */
async function waitForIndex(
  call: VtexCall,
  { window }: Pass,
  position: Extract<Position, { phase: 'late' }>,
): Promise<Page<SourceOrder>> {
  const until = Temporal.Instant.fromEpochMilliseconds(position.until);
  if (Temporal.Instant.compare(call.now(), until) < 0)
    return { items: [], next: pack(position), pause: true };
  const from = window.to.subtract({ minutes: orders.overlap.minutes });
  return {
    items: [],
    next: pack({ phase: 'list', feed: 'ours', slice: sliceOf({ from, to: until }) }),
  };
}

/** A workflow event reports no delivery, and no later tracking number. */
async function readOpen(
  call: VtexCall,
  pass: Pass,
  position: Extract<Position, { phase: 'open' }>,
): Promise<Page<SourceOrder>> {
  const ids = await pass.nonFinalIds(position.after, OPEN_AT_ONCE);
  const { reads } = await readOrders(call, ids);
  const last = ids.at(-1);
  const isEnd = ids.length < OPEN_AT_ONCE || last === undefined;
  return { items: reads, next: pack(isEnd ? DELIVERED : { phase: 'open', after: last }) };
}

/** No event reports that a delivered order was returned or refunded. */
async function readDelivered(
  call: VtexCall,
  pass: Pass,
  position: Extract<Position, { phase: 'delivered' }>,
): Promise<Page<SourceOrder>> {
  const ids = await pass.deliveredIds(turnOf(pass.window.to), position.after, OPEN_AT_ONCE);
  const { reads } = await readOrders(call, ids);
  const last = ids.at(-1);
  const isEnd = ids.length < OPEN_AT_ONCE || last === undefined;
  return { items: reads, next: isEnd ? null : pack({ phase: 'delivered', after: last }) };
}

/** Reconciliations run every hour and a little, so that none of the day's turns is skipped. */
function turnOf(now: Instant): { from: Instant; to: Instant } {
  const turn = Math.floor(now.epochMilliseconds / (HOURS_OF_TURN * 3_600_000)) % DELIVERED_TURNS;
  const back = (days: number) => now.subtract({ hours: 24 * days });
  return { from: back((turn + 1) * DAYS_OF_TURN), to: back(turn * DAYS_OF_TURN) };
}

/** Why an order was not read: it has no status yet, or VTEX knows no such order. */
type Unready = ReadonlyMap<string, 'incomplete' | 'missing'>;

async function readOrders(
  call: VtexCall,
  ids: readonly string[],
): Promise<{ reads: Read<SourceOrder>[]; unready: Unready }> {
  const unready = new Map<string, 'incomplete' | 'missing'>();
  const found = await Promise.all(
    ids.map((id) =>
      apart(id, async () => {
        const read = await readOrder(call, id);
        if (typeof read !== 'string') return read;
        unready.set(id, read);
        return null;
      }),
    ),
  );
  return { reads: found.flat(), unready };
}

async function readOrder(
  call: VtexCall,
  id: string,
): Promise<Read<SourceOrder> | 'incomplete' | 'missing'> {
  const path = `/api/oms/pvt/orders/${encodeURIComponent(id)}`;
  const answer = await call.request({ method: 'GET', path, expect: [404] });
  if (answer.status === 404) return 'missing';
  const document = documentOrNull(answer);
  if (isIncomplete(document)) return 'incomplete';
  return readOne(
    document,
    (row) => toSourceOrder(row, answer.fetchedAt),
    () => id,
  );
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
