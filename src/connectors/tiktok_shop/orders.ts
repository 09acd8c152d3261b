import type { Instant } from '../../platform/time.ts';
import { parseOrNull } from '../answer-document.ts';
import { apartAmong } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest, Window } from '../contract.ts';
import { readEach, readOne } from '../read-rows.ts';
import {
  behind,
  halfOf,
  type Span,
  spanInPagesOf,
  type TokenPosition,
  tokenInPagesOf,
} from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import { askList, askListIfAny, type Listed } from './ask.ts';
import { claimsOf, PAGE_SIZE, readClaims, SEARCHES, searchFor } from './claims.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { askShops } from './shops.ts';
import {
  claimedOrderOf,
  isUnpaid,
  orderIdOf,
  storedParts,
  toSourceOrder,
  updatedAt,
} from './wire.ts';

type TiktokShopCall = Call<TiktokShopCredentials>;

/** Returns are not listed by fewer. */
const LEAST_RETURNS = 10;
/**
 * Before there were any orders, in Unix seconds: where a first import is made narrower, it begins
 * here.
 */
const OLDEST = Temporal.Instant.from('2020-01-01T00:00:00Z').epochMilliseconds / 1000;
/** The id in a webhook about the permission itself; the fetch checks whether it is still valid. */
export const PERMISSION = 'permission';

/**
 * The position of a sync run: orders that changed, then stored ones that may change, then returns that
 * changed.
 */
type Position = SearchPosition | { readonly phase: 'open'; readonly after: string | null };

/**
 * An order that changes leaves its position in the list, and those behind it move up; so each page
 * begins where the last one ended, at a time, and goes by token only through the changes of one
 * second.
 */
interface SearchPosition extends TokenPosition {
  readonly phase: 'orders' | 'returns';
  /** Unix seconds of the change; null = all there is. */
  readonly from: number | null;
  /** The second behind the last one. */
  readonly to: number;
  /** In a list that keeps to no bound or no order nothing but tokens leads on. */
  readonly isByToken: boolean;
}

export const orders: Stream<SourceOrder, TiktokShopCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 10 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = positionOf(request);
    return position.phase === 'open'
      ? readOpen(call, request, position)
      : readChanged(call, request, position);
  },

  /**
   * The token to what lies behind a row comes with it, so that the span is made shorter around it.
   */
  async tooLarge(_, request) {
    const position = positionOf(request);
    if (position.phase === 'open') return null;
    const fitting = inPages(request, position);
    const narrower = fitting.isByToken ? null : halfOf(spanOf(fitting), 1);
    if (narrower) return { items: [], next: pack(narrower) };
    return {
      items: [tooLargeIn(SEARCHES[fitting.phase].path)],
      next: packBehind(fitting, request),
    };
  },

  async ids(call, request) {
    const start = begin('orders', request.window);
    const position = inPages(
      request,
      request.position === null ? start : JSON.parse(request.position),
    );
    const found = await searchChanged(call, position);
    const rows = found.rows.filter((row) => !isBefore(position.from, row));
    const next =
      stepOf(position, found, request.window) ?? behind(spanOf(position), endOf(request.window));
    return { ids: rows.map(orderIdOf), next: next && pack(next) };
  },

  async one(call, id) {
    if (id !== PERMISSION) return readByIds(call, [id]);
    await askShops(call);
    return [];
  },
};

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const parts = storedParts(parseOrNull(raw));
  return readOne(parts.order, () => toSourceOrder(parts, fetchedAt));
}

/** Positions of an older release do not say all of this. */
function positionOf({ position, window }: StreamRequest): Position {
  const start = begin('orders', window);
  return position === null ? start : { ...start, ...JSON.parse(position) };
}

function begin(phase: SearchPosition['phase'], window: Window): SearchPosition {
  const from = window.from && secondsOf(window.from);
  return { phase, from, to: endOf(window), token: null, size: PAGE_SIZE, isByToken: false };
}

function inPages({ limit }: StreamRequest, position: SearchPosition): SearchPosition {
  const rows = position.phase === 'orders' ? limit : Math.max(limit, LEAST_RETURNS);
  const isWhole = position.isByToken || position.token === null || rows >= position.size;
  return isWhole ? tokenInPagesOf(rows, position) : spanInPagesOf(rows, spanOf(position), 1);
}

function spanOf(position: SearchPosition): SearchPosition & Span {
  return { ...position, from: position.from ?? OLDEST };
}

async function readChanged(
  call: TiktokShopCall,
  request: StreamRequest,
  asked: SearchPosition,
): Promise<Page<SourceOrder>> {
  const position = inPages(request, asked);
  const found = await searchChanged(call, position);
  const rows = found.rows.filter((row) => !isBefore(position.from, row));
  // Returns are a hint: what they did to their orders is read with the orders.
  const items =
    position.phase === 'orders'
      ? await complete(call, { ...found, rows })
      : await apartAmong(
          [...new Set(rows.map(claimedOrderOf).filter((id) => id !== null))],
          (some) => readByIds(call, some),
        );
  const next = stepOf(position, found, request.window);
  return { items, next: next ? pack(next) : packBehind(position, request) };
}

/** The span behind it, then the next phase. */
function packBehind(position: SearchPosition, { window }: StreamRequest): string | null {
  const next = behind(spanOf(position), endOf(window));
  if (next) return pack({ ...next, isByToken: false });
  return position.phase === 'orders' ? pack({ phase: 'open', after: null }) : null;
}

/** @returns null after the last page of the span */
function stepOf(
  position: SearchPosition,
  { rows, next }: Listed,
  window: Window,
): SearchPosition | null {
  if (!next) return null;
  if (position.isByToken) return { ...position, token: next };
  // The token is of the list without the bound.
  if (rows.some((row) => isBefore(position.from, row)))
    return { ...position, from: begin(position.phase, window).from, token: next, isByToken: true };
  const times = rows.map(updatedAt).filter((at) => at !== null);
  const [oldest = 0] = times;
  const newest = times.at(-1) ?? 0;
  const isInOrder = times.every((at, index) => at >= (times[index - 1] ?? 0));
  if (!isInOrder) return { ...position, token: next, isByToken: true };
  return newest > oldest
    ? { ...position, from: newest, token: null }
    : { ...position, token: next };
}

function isBefore(from: number | null, row: unknown): boolean {
  return from !== null && (updatedAt(row) ?? from) < from;
}

async function searchChanged(call: TiktokShopCall, position: SearchPosition) {
  const { path, name } = SEARCHES[position.phase];
  const json = {
    ...(position.from !== null && { update_time_ge: position.from }),
    update_time_lt: position.to,
  };
  const query = { page_size: position.size, sort_field: 'update_time', sort_order: 'ASC' };
  const request = searchFor(path, json, { ...query, page_token: position.token ?? undefined });
  if (position.phase === 'orders') return askList(call, request, name);
  const nothing = { rows: [], next: null, fetchedAt: call.now() };
  return (await askListIfAny(call, request, name)) ?? nothing;
}

/**
 * Ends with an empty page, so that what follows may name the same orders. A first import knows all
 * returns.
 */
async function readOpen(
  call: TiktokShopCall,
  request: StreamRequest,
  { after }: { readonly after: string | null },
): Promise<Page<SourceOrder>> {
  const ids = await request.nonFinalIds(after, PAGE_SIZE);
  const last = ids.at(-1);
  if (last !== undefined) {
    const items = await apartAmong(ids, (some) => readByIds(call, some));
    return { items, next: pack({ phase: 'open', after: last }) };
  }
  return {
    items: [],
    next: request.window.from === null ? null : pack(begin('returns', request.window)),
  };
}

async function readByIds(
  call: TiktokShopCall,
  ids: readonly string[],
): Promise<Read<SourceOrder>[]> {
  if (ids.length === 0) return [];
  const query = { ids: ids.join(',') };
  return complete(
    call,
    await askList(call, { method: 'GET', path: '/order/202309/orders', query }, 'orders'),
  );
}

/** Refunds are not part of an order: they are in its returns and cancellations. */
async function complete(
  call: TiktokShopCall,
  { rows, fetchedAt }: Listed,
): Promise<Read<SourceOrder>[]> {
  const ids = rows.filter((row) => !isUnpaid(row)).map(orderIdOf);
  const claims = await readClaims(
    call,
    ids.filter((id) => id !== null),
  );
  return readEach(rows, (order) =>
    toSourceOrder({ order, claims: claims && claimsOf(claims, orderIdOf(order)) }, fetchedAt),
  );
}

/** The bound itself is left out, and times are whole seconds. */
function endOf({ to }: Window): number {
  return secondsOf(to) + 1;
}

function secondsOf(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / 1000);
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
