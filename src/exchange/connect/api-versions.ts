import type { ServiceSlug } from '../../carriers/contract.ts';
import { findService, SERVICES, serviceName } from '../../carriers/registry.ts';
import type { ApiVersion } from '../../connectors/contract.ts';
import { openAlerts, raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  type Connection,
  connectionById,
  everyConnection,
  openCredentials,
} from '../../features/connections/index.ts';
import { dayInWords, type Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';

export const VERSION_ENDS = 'api_version_ends';
/** An end is announced this long before. */
const AHEAD = { hours: 24 * 90 };

type Parts = Pick<ExchangeParts, 'database' | 'keyring' | 'clock'>;
type Ending = ApiVersion<unknown> & { readonly endsOn: string };

/** The alert of one version at one connection. */
interface Due {
  readonly organizationId: string;
  readonly subject: string;
  readonly message: string;
}

/**
 * Raises an alert at each connection that calls a version which ends within 90 days, or ended.
 * Resolves the alerts of versions that are no longer called, or whose end was put off.
 * @param versionsOf the versions of a service that are called
 */
export async function watchApiVersions(
  parts: Parts,
  versionsOf = versionsOfService,
): Promise<void> {
  const due = await dueAlerts(parts, versionsOf);
  const open = await parts.database.read((handle) => openAlerts(handle, VERSION_ENDS));
  const isOpen = setOf(open);
  const isDue = setOf(due);
  for (const { organizationId, subject, message } of due.filter((one) => !isOpen.has(keyOf(one))))
    await parts.database
      .within(organizationId)
      .write((scope) => raiseAlert(scope, { kind: VERSION_ENDS, subject, message }));
  for (const { organizationId, subject } of open.filter((one) => !isDue.has(keyOf(one))))
    await parts.database
      .within(organizationId)
      .write((scope) => resolveAlert(scope, VERSION_ENDS, subject));
}

function versionsOfService(service: ServiceSlug): readonly ApiVersion<unknown>[] {
  return findService(service)?.versions ?? [];
}

async function dueAlerts(parts: Parts, versionsOf: typeof versionsOfService): Promise<Due[]> {
  const soon = parts.clock.now().add(AHEAD);
  const ending = new Map(
    SERVICES.map((service) => [service, endingBefore(versionsOf(service), soon)]),
  );
  // Usually nothing ends, and no connection is read.
  if ([...ending.values()].every((versions) => versions.length === 0)) return [];
  const connections = await parts.database.read(everyConnection);
  const due: Due[] = [];
  for (const connection of connections)
    for (const version of ending.get(connection.service) ?? [])
      if (await isUsed(parts, connection, version)) due.push(dueFor(connection, version));
  return due;
}

function endingBefore(versions: readonly ApiVersion<unknown>[], soon: Instant): Ending[] {
  const last = soon.toString().slice(0, 10);
  return versions.filter(
    (version): version is Ending => version.endsOn !== null && version.endsOn <= last,
  );
}

async function isUsed(
  { database, keyring }: Parts,
  connection: Connection,
  version: Ending,
): Promise<boolean> {
  if (!version.isUsedBy) return true;
  const { organizationId, id } = connection;
  const sealed = await database.within(organizationId).read((scope) => connectionById(scope, id));
  const credentials = sealed && openCredentials(keyring, sealed);
  return credentials !== null && version.isUsedBy(credentials);
}

function dueFor({ organizationId, id, service, name }: Connection, version: Ending): Due {
  const called = version.version === null ? version.api : `${version.api} ${version.version}`;
  // A version that depends on the credentials changes with new credentials.
  const advice = version.isUsedBy
    ? 'Reconecta la cuenta con una versión más nueva antes de esa fecha.'
    : 'Instala la versión más reciente de Tianguis antes de esa fecha; en tu cuenta no tienes que hacer nada.';
  const message = `${serviceName(service)} retira «${called}» el ${dayInWords(version.endsOn)}, y tu cuenta «${name}» todavía la usa. ${advice}`;
  return { organizationId, subject: `${id}:${called}`, message };
}

function setOf(alerts: readonly Pick<Due, 'organizationId' | 'subject'>[]): ReadonlySet<string> {
  return new Set(alerts.map(keyOf));
}

function keyOf({ organizationId, subject }: Pick<Due, 'organizationId' | 'subject'>): string {
  return `${organizationId} ${subject}`;
}
