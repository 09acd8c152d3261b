import { aside, bounded } from '../../connectors/bounds.ts';
import type { Marketplace, Read, SourceOrder } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import { leftAmong, listConnections, setAside } from '../../features/connections/index.ts';
import {
  advanceRerendering,
  dropRerendering,
  dueRerenderings,
  lockDueRerendering,
  putOffRerendering,
  type Rerendered,
  type Rerendering,
  rerenderingsUnderWay,
  rerenderNext,
  skipNext,
  type UnreadDocument,
} from '../../features/orders/index.ts';
import { INSTANCE, schedule, unschedule } from '../../features/schedules/index.ts';
import { enterFrom, type WriteHandle, type WriteScope } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { isRefusedData, reasonOf } from './refused-data.ts';

type Parts = Pick<ExchangeParts, 'database' | 'clock' | 'log' | 'orderListeners' | 'rerenderHours'>;

/**
 * How a step is tried. Where the database refuses the data of a batch, its orders go one by one.
 */
type Attempt =
  | { readonly how: 'batch' | 'one' }
  /** The order that `one` failed on keeps its representation. */
  | { readonly how: 'skip'; readonly reason: string };

/** What a step works on. */
interface Claim {
  row: Rerendering | null;
  attempt: Attempt;
}

const TASK = { name: 'rerender', subject: 'orders', everySeconds: 60 } as const;
/** Orders of one transaction, which holds the delta clock for some tens of milliseconds. */
const ORDERS_AT_ONCE = 25;
/** The next job continues. */
const JOB_MS = 50_000;
const LEAST_PAUSE_MS = 20;
const AFTER_FAILURE = { minutes: 5 };
const ALERT = 'rerendering';

/** Puts the re-rendering on the calendar while that of any organisation has not ended. */
export async function scheduleRerenders({ database, clock }: Parts): Promise<void> {
  const isUnderWay = (await database.search(rerenderingsUnderWay)).length > 0;
  if (!isUnderWay) return;
  const { name, subject, everySeconds } = TASK;
  await database
    .within(INSTANCE)
    .write((scope) => schedule(scope, name, subject, everySeconds, clock.now()));
}

/**
 * Renders stored orders of an older representation, as many as are due. Customers get no events.
 * The pauses are as long as the work, so that half of the time is left for recording.
 */
export async function rerenderDue(parts: Parts): Promise<null> {
  const { database, clock } = parts;
  const end = clock.monotonic() + JOB_MS;
  while (clock.monotonic() < end) {
    const begunAt = clock.monotonic();
    if (!(await takeStep(parts))) break;
    await clock.sleep(Math.max(LEAST_PAUSE_MS, clock.monotonic() - begunAt));
  }
  if ((await database.search(rerenderingsUnderWay)).length === 0)
    await database.within(INSTANCE).write((scope) => unschedule(scope, TASK.name, TASK.subject));
  return null;
}

/** @returns false where none is due */
async function takeStep(parts: Parts): Promise<boolean> {
  const claim: Claim = { row: null, attempt: { how: 'batch' } };
  const due = await parts.database.search((handle) => dueRerenderings(handle, parts.clock.now()));
  for (;;) {
    try {
      return await parts.database.write((handle) => tryStep(parts, handle, due, claim));
    } catch (error) {
      if (!claim.row) throw error;
      if (error instanceof Failure && error.code === 'not_found')
        return await drop(parts, claim.row);
      const next = nextAttempt(claim.attempt, error);
      if (!next) return await putOff(parts, claim.row, error);
      claim.attempt = next;
    }
  }
}

async function tryStep(
  parts: Parts,
  handle: WriteHandle,
  due: readonly string[],
  claim: Claim,
): Promise<boolean> {
  const { row: before, attempt } = claim;
  const row = await lockDueRerendering(
    handle,
    parts.clock.now(),
    before ? [before.organization_id] : due,
  );
  // Another process has done this step after the first attempt.
  if (before && row?.visited !== before.visited) return true;
  if (!row) return false;
  claim.row = row;
  await enterFrom(handle.within(row.organization_id));
  await step(parts, handle, row, attempt);
  return true;
}

/** Its organisation was erased after the planning. */
async function drop({ database }: Parts, { organization_id }: Rerendering): Promise<true> {
  await database.write((handle) => dropRerendering(handle, organization_id));
  return true;
}

function nextAttempt(attempt: Attempt, error: unknown): Attempt | null {
  if (!isRefusedData(error) || attempt.how === 'skip') return null;
  return attempt.how === 'batch' ? { how: 'one' } : { how: 'skip', reason: reasonOf(error) };
}

async function step(
  parts: Parts,
  handle: WriteHandle,
  row: Rerendering,
  attempt: Attempt,
): Promise<void> {
  const { orderListeners: listeners, rerenderHours } = parts;
  const scope = handle.within(row.organization_id);
  const connected = await holdConnected(scope);
  const done =
    attempt.how === 'skip'
      ? await skipNext(scope, row, attempt.reason)
      : await rerenderNext(scope, row, {
          read: readStored,
          listeners,
          most: attempt.how === 'batch' ? ORDERS_AT_ONCE : 1,
        });
  await setUnreadAside(scope, connected, done.unread);
  const after = await advanceRerendering(scope, row, done, rerenderHours);
  if (row.is_failing) await resolveAlert(handle.within(INSTANCE), ALERT, row.organization_id);
  handle.afterCommit(() => logStep(parts, row, after, done));
}

/**
 * The connected accounts, locked against disconnecting until the transaction ends. Connections are
 * locked before the delta clock.
 */
async function holdConnected(scope: WriteScope): Promise<ReadonlySet<string>> {
  const ids = (await listConnections(scope)).map(({ id }) => id);
  const left = await leftAmong(scope, ids);
  return new Set(ids.filter((id) => !left.includes(id)));
}

/** Needs no connection: the document is all there is to read. */
function readStored(
  marketplace: Marketplace,
  raw: string,
  fetchedAt: Instant,
): Read<SourceOrder> | null {
  const connector = findConnector(marketplace);
  if (!connector?.readStored) return null;
  try {
    return bounded(connector.readStored(raw, fetchedAt));
  } catch (error) {
    return { ok: false, externalId: null, reason: `(whole): ${(error as Error).message}`, raw };
  }
}

/** Reconciliations fetch rows set aside again; a disconnected account cannot be read. */
async function setUnreadAside(
  scope: WriteScope,
  connected: ReadonlySet<string>,
  unread: readonly UnreadDocument[],
): Promise<void> {
  const byConnection = Map.groupBy(unread, ({ connectionId }) => connectionId);
  for (const [connectionId, documents] of byConnection)
    if (connectionId !== null && connected.has(connectionId))
      await setAside(scope, connectionId, 'orders', documents.map(aside));
}

async function putOff(
  { database, clock, log }: Parts,
  { organization_id: organizationId }: Rerendering,
  error: unknown,
): Promise<true> {
  log.of('sync').error({ organization: organizationId, err: error }, 'rerendering step failed');
  const message = `No pudimos volver a leer las órdenes guardadas de la organización ${organizationId}. Se intenta de nuevo en cinco minutos; si se repite, revisa el registro del servicio.`;
  await database.write(async (handle) => {
    await putOffRerendering(handle.within(organizationId), clock.now().add(AFTER_FAILURE));
    await raiseAlert(handle.within(INSTANCE), { kind: ALERT, subject: organizationId, message });
  });
  return true;
}

function logStep(
  { log }: Parts,
  before: Rerendering,
  after: Rerendering,
  { unread }: Rerendered,
): void {
  const {
    organization_id: organization,
    total,
    visited,
    changed,
    undocumented,
    unreadable,
  } = after;
  if (before.visited === 0)
    log.of('sync').info({ organization, orders: total }, 'rerendering begun');
  for (const { externalId } of unread)
    log.of('sync').warn({ organization, order: externalId }, 'document not read any more');
  log.of('sync').debug({ organization, visited, total }, 'orders rerendered');
  if (after.ended_at)
    log
      .of('sync')
      .info(
        { organization, orders: visited, changed, undocumented, unreadable },
        'rerendering done',
      );
}
