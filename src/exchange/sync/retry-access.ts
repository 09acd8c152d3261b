import type { ConnectedService } from '../../carriers/registry.ts';
import { STREAMS } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  connectionById,
  isStillConnected,
  type Refusal,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { unschedule } from '../../features/schedules/index.ts';
import { Failure } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf, streamOf } from '../streams.ts';
import { type ConnectionJob, ignoringRefusal, recordingOutcome } from '../wire/job-outcome.ts';
import { openConnection } from '../wire/open-connection.ts';
import { openSlice } from '../wire/patience.ts';
import { liftRefusal, scheduleRetry } from '../wire/refused-access.ts';
import { renew } from '../wire/renew-early.ts';
import { runStream } from './run-stream.ts';

const JOB: ConnectionJob = { alert: 'access', stream: null };
/** One page shows that reading is permitted; the sync run reads the rest. */
const READING = { milliseconds: 10_000, pages: 1 };

/**
 * Tries a refused access with the cheapest call there is. If it is accepted, the jobs of the
 * connection go on; if not, the next attempt is scheduled.
 * @throws UpstreamError, or an error of our own, where that is no refusal
 */
export async function retryAccess(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (connection?.state === 'paused') return;
  const refusal = connection?.refusal;
  if (!refusal) return organization.write((scope) => unschedule(scope, 'access', connectionId));
  // If this attempt fails in another way, the next one does not wait for a day.
  const isConnected = await organization.write(async (scope) => {
    if (!(await isStillConnected(scope, connectionId))) return false;
    await scheduleRetry(scope, connectionId, refusal.times);
    return true;
  });
  if (!isConnected) return;
  await ignoringRefusal(async () => {
    await recordingOutcome(parts, connection, JOB, () => tryAccess(parts, connection, refusal));
    if (refusal.what === 'permission' && !(await mayRead(parts, connection))) return;
    await organization.write((scope) => liftRefusal(scope, connectionId));
  });
}

async function tryAccess(
  parts: ExchangeParts,
  connection: SealedConnection,
  { what }: Refusal,
): Promise<void> {
  // The access may still be valid although its refresh token is dead.
  if (what === 'renewal') await renew(parts, connection);
  const { connector, call } = openConnection(parts, connection);
  await asRefusal(connector, () => connector.auth.check(call));
}

/**
 * Only a page shows whether reading is permitted; the sync run records its own outcome.
 * @returns false where another run is under way
 */
async function mayRead(parts: ExchangeParts, connection: SealedConnection): Promise<boolean> {
  const { connector } = openConnection(parts, connection);
  const vital = STREAMS.find((name) => factsOf(name).isVital && streamOf(connector, name));
  if (!vital) return true;
  const slice = openSlice(parts.clock, READING);
  return (
    (await runStream(parts, connection, vital, { reconcile: false, ifRunning: 'leave', slice })) !==
    null
  );
}

/** A check that finds another account is a refusal. */
async function asRefusal(
  connector: ConnectedService,
  check: () => Promise<unknown>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
    throw new UpstreamError('unauthorized', connector.slug, error.message, { cause: error });
  }
}
