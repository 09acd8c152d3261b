import type { Call, Page, SourceOrder, Stream, StreamRequest, Window } from '../contract.ts';
import { recheckedCreations } from '../delivered-recheck.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import type { VtexCredentials } from './credentials.ts';
import { createFeed, feedState } from './feed.ts';
import { lookAtQueue, readEvents, waitForHidden, waitUntil } from './lots.ts';
import { type At, type Feed, OPEN, OPEN_BEHIND, type Position, pack } from './position.ts';
import { readOrders } from './read-orders.ts';
import { behindLarge, PAGE_SIZE, readSlice, type Slice, sliceOf } from './slices.ts';
import { OrderRow } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

const LOOK_BACK_HOURS = 3;
const OPEN_AT_ONCE = 20;

type Phases = {
  [Phase in Position['phase']]: (
    call: VtexCall,
    request: StreamRequest,
    position: At<Phase>,
  ) => Promise<Page<SourceOrder>>;
};

const PHASES: Phases = {
  list: readList,
  queue: lookAtQueue,
  lot: readEvents,
  hidden: waitForHidden,
  late: waitForIndex,
  open: readOpen,
  delivered: readDelivered,
};

export const orders: Stream<SourceOrder, VtexCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 30 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = await positionOf(call, request);
    const read = PHASES[position.phase] as Phases['list'];
    return read(call, request, position as At<'list'>);
  },

  async tooLarge(call, request) {
    const position = await positionOf(call, request);
    if (position.phase !== 'list') return null;
    const next = pack({ ...position, slice: behindLarge(position.slice) });
    return { items: [tooLargeIn('/api/oms/pvt/orders')], next };
  },

  async ids(call, { window, position, limit }) {
    const slice: Slice = position === null ? sliceOf(window) : JSON.parse(position);
    const { rows, next } = await readSlice(call, 'creationDate', slice, limit);
    return { ids: rows.map((row) => nameIn(row, 'orderId')), next: next && JSON.stringify(next) };
  },

  async one(call, id) {
    const { reads } = await readOrders(call, [id]);
    return reads;
  },
};

async function positionOf(call: VtexCall, request: StreamRequest): Promise<Position> {
  return request.position === null ? start(call, request) : JSON.parse(request.position);
}

/**
 * The list serves a first import, the time before there was a feed of ours, and a look back once an
 * hour.
 */
async function start(call: VtexCall, { window }: StreamRequest): Promise<Position> {
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
  { limit, window }: StreamRequest,
  { feed, slice }: At<'list'>,
): Promise<Page<SourceOrder>> {
  const { rows, total, next } = await readSlice(call, 'creationDate', slice, limit);
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
    ...(total !== null && isWhole(slice, window) && { total }),
    next: next ? pack({ phase: 'list', feed: then, slice: next }) : after(then),
  };
}

/** Whether the slice is all that a first import reads. */
function isWhole({ from, to }: Slice, window: Window): boolean {
  const whole = sliceOf(window);
  return window.from === null && from === whole.from && to === whole.to;
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
  if (feed === 'left') return OPEN_BEHIND;
  return feed === 'foreign' ? OPEN : pack({ phase: 'queue', feed, lot: 0 });
}

async function waitForIndex(
  call: VtexCall,
  { window }: StreamRequest,
  position: At<'late'>,
): Promise<Page<SourceOrder>> {
  const until = Temporal.Instant.fromEpochMilliseconds(position.until);
  if (Temporal.Instant.compare(call.now(), until) < 0)
    return { items: [], ...waitUntil(call, position) };
  const from = window.to.subtract({ minutes: orders.overlap.minutes });
  return {
    items: [],
    next: pack({ phase: 'list', feed: 'ours', slice: sliceOf({ from, to: until }) }),
  };
}

/** A workflow event reports no delivery, and no later tracking number. */
async function readOpen(
  call: VtexCall,
  request: StreamRequest,
  position: At<'open'>,
): Promise<Page<SourceOrder>> {
  const ids = await request.nonFinalIds(position.after, OPEN_AT_ONCE);
  const { reads } = await readOrders(call, ids);
  const last = ids.at(-1);
  const isEnd = ids.length < OPEN_AT_ONCE || last === undefined;
  const next = isEnd
    ? pack({ ...position, phase: 'delivered', after: null })
    : pack({ ...position, after: last });
  return { items: reads, next };
}

/** No event reports that a delivered order was returned or refunded. */
async function readDelivered(
  call: VtexCall,
  request: StreamRequest,
  position: At<'delivered'>,
): Promise<Page<SourceOrder>> {
  const ids = await request.deliveredIds(
    recheckedCreations(request.window.to),
    position.after,
    OPEN_AT_ONCE,
  );
  const { reads } = await readOrders(call, ids);
  const last = ids.at(-1);
  const isEnd = ids.length < OPEN_AT_ONCE || last === undefined;
  if (!isEnd) return { items: reads, next: pack({ ...position, after: last }) };
  return { items: reads, next: null, isBehind: position.isBehind === true };
}
