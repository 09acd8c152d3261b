import { type ConnectedService, findService } from '../../carriers/registry.ts';
import type { UpstreamError } from '../../connectors/upstream-error.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  connectionById,
  isParked,
  isStillConnected,
  isSynced,
  type SealedConnection,
  subscriptionSecretOf,
} from '../../features/connections/index.ts';
import { recover, setBack } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import { applicationOf, type ExchangeParts } from '../parts.ts';
import { streamsOf } from '../streams.ts';
import { asUpstream } from '../wire/errors.ts';
import { ignoringRefusal, recordingOutcome } from '../wire/job-outcome.ts';
import { noteGaps } from '../wire/note-gaps.ts';
import { openConnection } from '../wire/open-connection.ts';
import { openSlice } from '../wire/patience.ts';
import { notificationAddressOf } from './notification-address.ts';
import { unsubscribe } from './unsubscribe.ts';

const MINUTES_A_DAY = 24 * 60;
/** Nothing is stored between the calls, so there are no pages. */
const SLICE = { milliseconds: 30_000, pages: Number.POSITIVE_INFINITY };

/**
 * Registers our webhook address at a service: after connecting and every day, because services drop
 * registrations. A failure is retried within minutes, and polling goes on meanwhile.
 */
export async function subscribe(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (
    !connection ||
    isParked(connection) ||
    !findService(connection.service)?.notifications?.ensure
  )
    return;
  const job = { alert: 'subscription', stream: null } as const;
  await ignoringRefusal(() =>
    recordingOutcome(parts, connection, job, () => ensurePushes(parts, connection)),
  );
}

/**
 * A failure of the service, other than a refused access, does not change the connection's state.
 */
async function ensurePushes(parts: ExchangeParts, connection: SealedConnection): Promise<void> {
  const { id, organizationId, service } = connection;
  const organization = parts.database.within(organizationId);
  const patience = openSlice(parts.clock, SLICE);
  const { connector, call } = openConnection(parts, connection, { patience });
  const secret = subscriptionSecretOf(parts.keyring, connection);
  try {
    const gaps = await connector.notifications?.ensure?.(call, {
      address: notificationAddressOf(parts, connector, id, secret),
      application: applicationOf(parts, service),
      secret,
    });
    const isConnected = await organization
      .write(async (scope) => {
        if (!(await isStillConnected(scope, id))) return false;
        await recover(scope, 'subscribe', id);
        await resolveAlert(scope, 'pushes', id);
        await noteGaps(scope, `${id}:pushes`, gaps ?? []);
        return true;
      })
      .catch(falseIfErased);
    // The removal of its registrations may have come before the last one was made.
    if (!isConnected) await unsubscribe(parts, connection);
  } catch (thrown) {
    const error = asUpstream(thrown, service);
    if (!error || error.kind === 'unauthorized') throw thrown;
    parts.log
      .of('connect')
      .warn({ connection: id, kind: error.kind, reason: error.message }, 'not subscribed');
    await organization.write((scope) => noteUnsubscribed(scope, connector, id, error));
  }
}

function falseIfErased(error: unknown): false {
  if (error instanceof Failure && error.code === 'not_found') return false;
  throw error;
}

/** Records that webhooks are not registered; the next attempt follows within minutes. */
async function noteUnsubscribed(
  scope: WriteScope,
  connector: ConnectedService,
  connectionId: string,
  { retryAfter }: UpstreamError,
): Promise<void> {
  if (!(await isSynced(scope, connectionId))) return;
  const until = retryAfter === null ? null : scope.clock.now().add({ seconds: retryAfter });
  await setBack(scope, 'subscribe', connectionId, until);
  const message = `${connector.name} no aceptó avisarnos de los cambios. Lo seguimos intentando; mientras tanto los consultamos ${pollingOf(connector)}.`;
  await raiseAlert(scope, { kind: 'pushes', subject: connectionId, message });
}

/** How often changes are polled, in the seller's words. */
function pollingOf(connector: ConnectedService): string {
  const minutes = Math.min(...streamsOf(connector).map(([, { every }]) => every.minutes));
  if (minutes < 60) return 'cada pocos minutos';
  return minutes < MINUTES_A_DAY ? 'cada pocas horas' : 'una vez al día';
}
