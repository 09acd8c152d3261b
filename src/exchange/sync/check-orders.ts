import type { IdPage, Marketplace, Stream, StreamRequest } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  connectionById,
  isParked,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { storedAmong } from '../../features/orders/index.ts';
import { fail } from '../../platform/failure.ts';
import { formatMillis, type Instant, parseInstant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamOf } from '../streams.ts';
import type { StepCall } from '../wire/call.ts';
import { sentenceOf } from '../wire/consequences.ts';
import { asUpstream } from '../wire/errors.ts';
import { openConnection } from '../wire/open-connection.ts';
import { originOfOne } from './origin.ts';
import { askAgain } from './repair-stream.ts';
import { storeReads } from './store-reads.ts';

/**
 * `fetched`: it is stored now. `unreadable`: it is set aside. `not_given`: listed, but not given
 * when it was requested, as a cart that is no order yet. `not_tried`: the check ended before.
 */
export const OUTCOMES = ['fetched', 'unreadable', 'not_given', 'not_tried'] as const;

/** The orders that a marketplace lists for a span of time, compared with ours. */
export interface OrderCheck {
  /** False = the service has no list of orders. */
  readonly hasList: boolean;
  /** The span of time: orders that changed in it are compared. */
  readonly from: string;
  readonly to: string;
  /** How many different orders it lists. */
  readonly listed: number;
  /** Those that were not stored, in the order of the list. */
  readonly missing: readonly { readonly id: string; readonly outcome: (typeof OUTCOMES)[number] }[];
  /** In Spanish: why the check ended before the end; null = it is complete. */
  readonly stopped: string | null;
}

const MOST_PAGES = 5_000;
/** Each is fetched by a call of its own. */
const MOST_FETCHED = 200;
const AT_ONCE = 500;
/** All waits for a tight limit together. */
const LONGEST_WAIT_MS = 30 * 60_000;
const TOO_LONG =
  'La lista es más larga de lo que se revisa de una vez. Elige un periodo más corto.';
const TOO_MANY = `Faltaban más de ${MOST_FETCHED} órdenes. Revisa otra vez para leer las demás.`;

/**
 * Lists the ids of the orders that changed at a marketplace lately, and fetches those that are not
 * stored.
 * @throws Failure not_found, connection_paused, upstream_error
 */
export async function checkOrders(
  parts: ExchangeParts,
  { organizationId, connectionId, ...span }: CheckRequest,
): Promise<OrderCheck> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  assertOpen(connection);
  const { connector, call } = openConnection(parts, connection);
  const stream = streamOf(connector, 'orders');
  const window = windowOf(parts, span);
  const compared = { from: formatMillis(window.from), to: formatMillis(window.to) };
  if (!stream?.ids) return { hasList: false, ...compared, listed: 0, missing: [], stopped: null };
  const { ids, stopped } = await listAll(parts, connection, stream, call, window);
  const missing = await notStored(parts, connection, [...ids]);
  const fetched = await fetchEach(parts, connection, stream, call, missing);
  return {
    hasList: true,
    ...compared,
    listed: ids.size,
    missing: fetched.missing,
    stopped: stopped ?? fetched.stopped,
  };
}

interface CheckRequest {
  readonly organizationId: string;
  readonly connectionId: string;
  /** How far back, where `since` does not say it. */
  readonly days: number;
  /** From this instant on. */
  readonly since?: string | undefined;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** It always ends now: an order of an earlier month may have changed since, and is listed as such. */
function windowOf(
  { clock }: ExchangeParts,
  { days, since }: Pick<CheckRequest, 'days' | 'since'>,
): Span {
  const to = clock.now();
  const from = since === undefined ? null : parseInstant(since);
  return { from: from ?? to.subtract({ hours: 24 * days }), to };
}

/** @throws Failure not_found, connection_paused, upstream_error */
function assertOpen(connection: SealedConnection | null): asserts connection is SealedConnection {
  if (!connection || connection.state === 'disconnected') throw fail('not_found');
  if (connection.state === 'paused') throw fail('connection_paused');
  const { stateMessage } = connection;
  if (isParked(connection))
    throw fail('upstream_error', stateMessage ? { message: stateMessage } : {});
}

async function listAll(
  parts: ExchangeParts,
  connection: SealedConnection,
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  window: Span,
): Promise<{ ids: Set<string>; stopped: string | null }> {
  const ids = new Set<string>();
  const ask = patientAsker(parts, stream, call);
  let position: string | null = null;
  try {
    for (let pages = 1; pages <= MOST_PAGES; pages++) {
      const page: IdPage = await ask({
        ...NOTHING_STORED,
        window,
        position,
        limit: stream.pageSize ?? 1,
      });
      for (const id of page.ids) if (id !== null) ids.add(id);
      if (page.next === null) return { ids, stopped: null };
      if (page.next === position)
        throw new UpstreamError('runaway', connection.service, 'the position stands still');
      position = page.next;
    }
    return { ids, stopped: TOO_LONG };
  } catch (thrown) {
    return { ids, stopped: sentenceFor(thrown, connection, parts) };
  }
}

/** The connector finds nothing stored, so that its pages hold what the marketplace lists. */
const NOTHING_STORED: Pick<StreamRequest, 'nonFinalIds' | 'deliveredIds' | 'states'> = {
  nonFinalIds: async () => [],
  deliveredIds: async () => [],
  states: async () => new Map(),
};

/** Waits where a tight limit allows the next page only later. */
function patientAsker(
  { clock }: ExchangeParts,
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
): (request: StreamRequest) => Promise<IdPage> {
  let waited = 0;
  const wait = async (error: unknown) => {
    if (!(error instanceof UpstreamError) || error.kind !== 'paced') throw error;
    const milliseconds = (error.retryAfter ?? 1) * 1_000;
    waited += milliseconds;
    if (waited > LONGEST_WAIT_MS) throw error;
    await clock.sleep(milliseconds);
  };
  return async function askPatiently(request): Promise<IdPage> {
    try {
      return (await stream.ids?.(call.step(), request)) ?? { ids: [], next: null };
    } catch (error) {
      await wait(error);
    }
    return askPatiently(request);
  };
}

async function notStored(
  { database }: ExchangeParts,
  { organizationId, service, accountId }: SealedConnection,
  ids: readonly string[],
): Promise<string[]> {
  const account = { marketplace: service as Marketplace, accountId };
  const missing: string[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const stored = await database
      .within(organizationId)
      .read((scope) => storedAmong(scope, account, some));
    missing.push(...some.filter((id) => !stored.has(id)));
  }
  return missing;
}

async function fetchEach(
  parts: ExchangeParts,
  connection: SealedConnection,
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  ids: readonly string[],
): Promise<Pick<OrderCheck, 'missing' | 'stopped'>> {
  const missing: OrderCheck['missing'][number][] = [];
  let stopped: string | null = ids.length > MOST_FETCHED ? TOO_MANY : null;
  for (const id of ids.slice(0, MOST_FETCHED)) {
    try {
      const origin = originOfOne(connection, parts.clock);
      const reads = await askAgain(stream, call, connection.service, id);
      const { isWhole } = await storeReads(parts, 'orders', origin, reads);
      missing.push({ id, outcome: outcomeOf(reads.length, isWhole) });
    } catch (thrown) {
      stopped = sentenceFor(thrown, connection, parts);
      break;
    }
  }
  const rest = ids.slice(missing.length).map((id) => ({ id, outcome: 'not_tried' as const }));
  return { missing: [...missing, ...rest], stopped };
}

function outcomeOf(reads: number, isWhole: boolean): (typeof OUTCOMES)[number] {
  if (reads === 0) return 'not_given';
  return isWhole ? 'fetched' : 'unreadable';
}

/** The seller's sentence. Rethrows what is no failure of the service. */
function sentenceFor(
  thrown: unknown,
  { service }: SealedConnection,
  { clock }: ExchangeParts,
): string {
  const error = asUpstream(thrown, service);
  if (!error) throw thrown;
  return sentenceOf(error, service, clock.now());
}
