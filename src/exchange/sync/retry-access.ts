import type { ConnectedService } from '../../carriers/registry.ts';
import { STREAMS } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  connectionById,
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
/** One page shows that it may be read; the rest is for the sync run. */
const READING = { milliseconds: 10_000, pages: 1 };

/**
 * Tries an access that was refused with the cheapest call there is. Once it is accepted again the
 * jobs of its connection go on; until then it is tried again later.
 * @throws UpstreamError, or what went wrong here, where that is no refusal
 */
export async function retryAccess(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  const refusal = connection?.refusal;
  if (!refusal) return organization.write((scope) => unschedule(scope, 'access', connectionId));
  // Should this one fail in another way, it does not take a day until the next.
  await organization.write((scope) => scheduleRetry(scope, connectionId, refusal.times));
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
  // The access may live on for a while although what renews it is dead.
  if (what === 'renewal') await renew(parts, connection);
  const { connector, call } = openConnection(parts, connection);
  await asRefusal(connector, () => connector.auth.check(call));
}

/**
 * Only reading tells whether we may read; the sync run writes down its own end.
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

/** An account that is not the one that was connected is no access to it. */
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
