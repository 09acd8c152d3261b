import type { ServiceSlug } from '../../carriers/contract.ts';
import { findService } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  type Connection,
  connectionById,
  listConnections,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamsOf } from '../streams.ts';
import { consequenceOf, sentenceOf } from '../wire/consequences.ts';
import { HandedBack, ownKindOf } from '../wire/errors.ts';
import { retryAccess } from './retry-access.ts';
import { runStream, type StreamReport } from './run-stream.ts';

interface SyncRequest {
  readonly organizationId: string;
  readonly service: ServiceSlug | null;
  readonly stream: StreamName | null;
}

export interface SyncedStream extends StreamReport {
  /** Or the carrier: named as the option of the command line is. */
  readonly marketplace: ServiceSlug;
  readonly stream: StreamName;
  /** In Spanish; absent when all went well. */
  readonly error?: string;
}

const ACCOUNTS_AT_ONCE = 10;
/** How long one stream waits for limits: a person wants an answer, and a tight limit takes hours. */
const MOST_SECONDS = { inAll: 24 * 3_600, withoutPage: 3_600 };
const NOTHING: StreamReport = { pages: 0, items: 0, changed: 0, unreadable: 0 };

/**
 * Runs an organisation's streams to their ends, due or not; one that fails does not stop the
 * others.
 */
export async function syncOrganization(
  parts: ExchangeParts,
  request: SyncRequest,
): Promise<SyncedStream[]> {
  const organization = parts.database.within(request.organizationId);
  const connections = (await organization.read(listConnections)).filter(
    ({ state, service }) =>
      state !== 'disconnected' &&
      state !== 'paused' &&
      (request.service === null || service === request.service),
  );
  const reports: SyncedStream[][] = [];
  const waiting = connections.entries();
  const takeOneByOne = async () => {
    for (const [index, connection] of waiting)
      reports[index] = await syncAccount(parts, request, connection);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, takeOneByOne));
  return reports.flat();
}

async function syncAccount(
  parts: ExchangeParts,
  request: SyncRequest,
  { id, service, refusal }: Connection,
): Promise<SyncedStream[]> {
  const connector = findService(service);
  if (refusal) await retryNow(parts, request.organizationId, id);
  const streams = connector ? streamsOf(connector).map(([stream]) => stream) : [];
  const done: SyncedStream[] = [];
  for (const stream of streams)
    if (request.stream === null || stream === request.stream)
      done.push(await syncOne(parts, request.organizationId, id, service, stream));
  return done;
}

async function syncOne(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
  service: ServiceSlug,
  stream: StreamName,
): Promise<SyncedStream> {
  const connection = await parts.database
    .within(organizationId)
    .read((scope) => connectionById(scope, connectionId));
  const unread = { marketplace: service, stream, ...NOTHING };
  if (!connection) return unread;
  if (connection.refusal) return { ...unread, error: connection.stateMessage ?? '' };
  try {
    return { ...unread, ...(await runToEnd(parts, connection, stream)) };
  } catch (error) {
    if (error instanceof HandedBack) throw error;
    return { ...unread, error: await sentenceNow(parts, connection, error) };
  }
}

/**
 * Waits where a limit stops the run, then goes on from the checkpoint.
 * @throws UpstreamError paced where it would wait for too long: the schedule goes on then
 */
async function runToEnd(
  parts: ExchangeParts,
  connection: SealedConnection,
  stream: StreamName,
): Promise<StreamReport> {
  let total = NOTHING;
  const waited = { inAll: 0, withoutPage: 0 };
  for (;;) {
    let report: StreamReport = NOTHING;
    const onPage = (soFar: StreamReport) => {
      report = { ...soFar };
    };
    try {
      await runStream(parts, connection, stream, { reconcile: true, ifRunning: 'wait', onPage });
      return sumOf(total, report);
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.kind !== 'paced') throw error;
      total = sumOf(total, report);
      const seconds = error.retryAfter ?? 1;
      waited.inAll += seconds;
      waited.withoutPage = seconds + (report.pages > 0 ? 0 : waited.withoutPage);
      if (waited.inAll > MOST_SECONDS.inAll || waited.withoutPage > MOST_SECONDS.withoutPage)
        throw error;
      await parts.clock.sleep(seconds * 1000);
    }
  }
}

function sumOf(one: StreamReport, other: StreamReport): StreamReport {
  return {
    pages: one.pages + other.pages,
    items: one.items + other.items,
    changed: one.changed + other.changed,
    unreadable: one.unreadable + other.unreadable,
  };
}

/**
 * A person requests it, so a refused access is tried at once; its outcome is recorded at the
 * connection.
 */
async function retryNow(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  try {
    await retryAccess(parts, organizationId, connectionId);
  } catch (error) {
    if (error instanceof HandedBack) throw error;
    parts.log
      .of('sync')
      .warn({ connection: connectionId, err: error }, 'a refused access was not accepted');
  }
}

/** The sentence of a refused access says whether it is tried again or the seller must act. */
async function sentenceNow(
  { database, clock }: ExchangeParts,
  { organizationId, id, service }: SealedConnection,
  error: unknown,
): Promise<string> {
  if (!(error instanceof UpstreamError)) return consequenceOf(ownKindOf(error), service).message;
  const connection = await database
    .within(organizationId)
    .read((scope) => connectionById(scope, id));
  const reported = connection?.refusal ? connection.stateMessage : null;
  return reported ?? sentenceOf(error, service, clock.now());
}
