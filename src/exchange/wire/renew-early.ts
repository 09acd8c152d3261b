import { findService } from '../../carriers/registry.ts';
import {
  connectionById,
  openCredentials,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { type ConnectionJob, ignoringRefusal, recordingOutcome } from './job-outcome.ts';
import { liftRefusal } from './refused-access.ts';
import { renewCredentials } from './renew-credentials.ts';

const JOB: ConnectionJob = { alert: 'renewal', stream: null };

/**
 * Renews the credentials of a connection before they expire, so that no sync run meets an expired
 * token. A refused renewal is retried on the schedule of refused accesses.
 */
export async function renewBeforeExpiry(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection || connection.state === 'disconnected') return;
  const renewing = async () => {
    await renew(parts, connection);
    if (connection.refusal) await organization.write((scope) => liftRefusal(scope, connectionId));
  };
  await ignoringRefusal(() => recordingOutcome(parts, connection, JOB, renewing));
}

/** Renews regardless of age. @throws UpstreamError unauthorized where it is refused */
export async function renew(parts: ExchangeParts, connection: SealedConnection): Promise<void> {
  const connector = findService(connection.service);
  const credentials = openCredentials(parts.keyring, connection);
  if (connector && credentials !== null)
    await renewCredentials(parts, connection, connector, credentials);
}
