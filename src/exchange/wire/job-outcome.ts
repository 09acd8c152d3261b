import type { StreamName } from '../../connectors/contract.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import { isRaised, raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  isSynced,
  markRecovered,
  markTrouble,
  noteFailure,
  noteRun,
  type Refused,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf } from '../streams.ts';
import { consequenceOf, sentenceOf, type TroubleKind } from './consequences.ts';
import { asUpstream, DisconnectedDuringSync, HandedBack, ownKindOf } from './errors.ts';
import { recordRefusal } from './refused-access.ts';

/** A job of a connection, as its outcome is recorded. */
export interface ConnectionJob {
  /** The kind of the alert that its failures raise; a sync run's is that of the connection. */
  readonly alert: 'connection' | 'push' | 'renewal' | 'subscription' | 'tracing' | 'access';
  /** The job's stream; null = the connection itself. */
  readonly stream: StreamName | null;
}

const REFUSALS: readonly UpstreamKind[] = ['unauthorized', 'forbidden'];

/**
 * Runs a job of a connection and records its outcome.
 * @throws UpstreamError, or an error of our own
 */
export async function recordingOutcome<Result>(
  parts: ExchangeParts,
  connection: SealedConnection,
  job: ConnectionJob,
  work: () => Promise<Result>,
): Promise<Result> {
  const organization = parts.database.within(connection.organizationId);
  try {
    const result = await work();
    if (connection.state !== 'ok')
      await organization.write((scope) => noteRecovery(scope, connection, job));
    return result;
  } catch (thrown) {
    throw (await recordTrouble(parts, connection, job, thrown)) ?? thrown;
  }
}

/** Ends a job whose access is refused, since refused accesses have their own schedule. */
export async function ignoringRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UpstreamError) || !REFUSALS.includes(error.kind)) throw error;
  }
}

/**
 * Records why a job of a connection stopped: the reason at the stream, the state with a sentence
 * for the seller, and an alert where it does not end by itself.
 * @returns the failure of the service; null = it is our own
 */
export async function recordTrouble(
  parts: ExchangeParts,
  connection: SealedConnection,
  job: ConnectionJob,
  thrown: unknown,
): Promise<UpstreamError | null> {
  const error = asUpstream(thrown, connection.service);
  if (isNoTrouble(thrown, error)) return error;
  const { organizationId, id } = connection;
  const about = {
    connection: id,
    ...job,
    kind: kindOf(job, error, thrown),
    reason: reasonOf(error ?? thrown),
  };
  if (error) parts.log.of('wire').warn(about, 'job of a connection stopped');
  else parts.log.of('wire').error({ ...about, err: thrown }, 'job of a connection failed');
  try {
    await parts.database
      .within(organizationId)
      .write((scope) => writeTrouble(scope, connection, job, error, thrown));
  } catch (failed) {
    // Rethrows the first error. If the database is away now, the next job records its own.
    parts.log.of('wire').error({ connection: id, ...job, err: failed }, 'failure not recorded');
  }
  return error;
}

async function writeTrouble(
  scope: WriteScope,
  connection: SealedConnection,
  job: ConnectionJob,
  error: UpstreamError | null,
  thrown: unknown,
): Promise<void> {
  const { id, service } = connection;
  if (!(await isSynced(scope, id))) return;
  const { alert, stream } = job;
  const { state, isWide, ...reported } = consequenceOf(kindOf(job, error, thrown), service);
  const message = error?.since ? sentenceOf(error, service, scope.clock.now()) : reported.message;
  if (stream) await noteFailure(scope, id, stream, reasonOf(error ?? thrown));
  if (stream && alert === 'connection')
    await noteRun(scope, id, stream, { outcome: 'stopped', reason: message });
  const refused = error && refusedBy(job, error);
  if (refused) return recordRefusal(scope, connection, refused);
  if (stream && !factsOf(stream).isVital && !isWide)
    return raiseAlert(scope, {
      kind: 'stream',
      subject: `${id}:${stream}`,
      message: `${factsOf(stream).title}: ${message}`,
    });
  await markTrouble(scope, id, state, message);
  if (state !== 'delayed')
    await raiseAlert(scope, { kind: alert, subject: subjectOf(id, job), message });
}

/** Records the success of a job whose connection had a problem. */
async function noteRecovery(
  scope: WriteScope,
  { id, state }: SealedConnection,
  job: ConnectionJob,
): Promise<void> {
  const hadAlert = await resolveAlert(scope, job.alert, subjectOf(id, job));
  const isOver = (state === 'delayed' || hadAlert) && !(await isRaised(scope, 'connection', id));
  if (isOver) await markRecovered(scope, id);
}

/** Whether the account was disconnected, the process stops, or a limit is respected. */
function isNoTrouble(thrown: unknown, error: UpstreamError | null): boolean {
  return (
    thrown instanceof HandedBack ||
    error instanceof DisconnectedDuringSync ||
    error?.kind === 'paced'
  );
}

/**
 * The refusal of the access itself. A refusal of one thing, or of a stream that is not vital, does
 * not count.
 */
function refusedBy({ alert, stream }: ConnectionJob, { kind }: UpstreamError): Refused | null {
  if (kind === 'unauthorized') return alert === 'renewal' ? 'renewal' : 'access';
  const isOfAll = alert === 'connection' && stream !== null && factsOf(stream).isVital;
  return kind === 'forbidden' && isOfAll ? 'permission' : null;
}

function kindOf(
  { alert }: ConnectionJob,
  error: UpstreamError | null,
  thrown: unknown,
): TroubleKind {
  if (error) return error.kind === 'forbidden' && alert !== 'connection' ? 'refused' : error.kind;
  return ownKindOf(thrown);
}

/** The failures of a sync run are those of the connection. */
function subjectOf(id: string, { alert, stream }: ConnectionJob): string {
  return alert === 'connection' || stream === null ? id : `${id}:${stream}`;
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
