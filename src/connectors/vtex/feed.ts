import { z } from 'zod';
import { parseOrNull } from '../answer-document.ts';
import type { Call } from '../contract.ts';
import { Rows } from '../lists.ts';
import type { VtexCredentials } from './credentials.ts';
import { FeedEvent, WORKFLOW } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

/**
 * The queue of an application key: there is none, it is ours, or it serves another system of the
 * seller's.
 */
export type FeedState = 'none' | 'ours' | 'foreign';

export const FEED = '/api/orders/feed';
const CONFIG = '/api/orders/feed/config';
/** The most that VTEX hands out at once. */
const LOT = 10;
/** What a filter of ours looks like; it is how a configuration of ours is known. */
export const OUR_FILTER = { type: 'FromWorkflow', status: WORKFLOW };
/** For so long the feed does not hand out an event again. */
export const HIDDEN_SECONDS = 240;
const OUR_QUEUE = {
  visibilityTimeoutInSeconds: HIDDEN_SECONDS,
  // Two weeks, the longest there is: a queue to which nothing came for so long is deleted.
  MessageRetentionPeriodInSeconds: 1_209_600,
};

const Config = z.object({ filter: z.object({ type: z.string(), status: z.array(z.string()) }) });

export async function feedState(call: VtexCall): Promise<FeedState> {
  const answer = await call.request({ method: 'GET', path: CONFIG, expect: [404] });
  if (answer.status === 404) return 'none';
  return isOurFilter(parseOrNull(answer.body)) ? 'ours' : 'foreign';
}

/** Whether a configuration, of a feed or of a hook, is one that we made. */
export function isOurFilter(config: unknown): boolean {
  const filter = Config.safeParse(config).data?.filter;
  if (filter?.type !== OUR_FILTER.type) return false;
  const named = new Set(filter.status);
  return named.size === WORKFLOW.length && WORKFLOW.every((status) => named.has(status));
}

export async function createFeed(call: VtexCall): Promise<void> {
  const json = { filter: OUR_FILTER, queue: OUR_QUEUE };
  await call.request({ method: 'POST', path: CONFIG, body: { json } });
}

/**
 * The next events, so many at most, in no order; they come again after the visibility time unless
 * they are committed.
 */
export async function readLot(call: VtexCall, limit: number): Promise<FeedEvent[]> {
  const rows = await call.get(FEED, Rows, { query: { maxlot: Math.min(LOT, limit) } });
  return rows.map((row) => FeedEvent.safeParse(row).data).filter((event) => event !== undefined);
}

export async function commit(call: VtexCall, events: readonly FeedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const json = { handles: events.map(({ handle }) => handle) };
  await call.request({ method: 'POST', path: FEED, body: { json } });
}
