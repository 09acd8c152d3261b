import { serviceName } from '../../carriers/registry.ts';
import { type Read, type StreamName, TOO_LARGE, type Window } from '../../connectors/contract.ts';
import { isRaised, raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  forgetNameless,
  isStillConnected,
  namelessFrom,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { OrganizationDatabase, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf } from '../streams.ts';

const KIND = 'too_large';
const NAMED =
  'con más datos de los que podemos leer. Lo guardamos aparte y lo volvemos a pedir solos';
const NAMELESS = 'un registro con más datos de los que podemos leer y no nos dice cuál es';

/**
 * Raises an alert for each thing that is too large to be read, and one alert for all things without
 * a name.
 */
export async function noteTooLarge(
  { database }: Pick<ExchangeParts, 'database'>,
  { organizationId, id, service }: SealedConnection,
  name: StreamName,
  reads: readonly Read<unknown>[],
): Promise<void> {
  const things = new Set(reads.map((read) => (read.ok ? null : read.externalId)));
  await database.within(organizationId).write(async (scope) => {
    if (!(await isStillConnected(scope, id))) return;
    for (const thing of things)
      await raiseAlert(scope, {
        kind: KIND,
        subject: subjectOf(id, name, thing),
        message: `${factsOf(name).title}: ${serviceName(service)} nos manda ${thing === null ? NAMELESS : `${thing} ${NAMED}`}; lo demás sigue entrando.`,
      });
  });
}

/** Resolves the alert of a thing that could be read. */
export async function noteReadable(
  scope: WriteScope,
  connectionId: string,
  name: StreamName,
  thing: string,
): Promise<void> {
  await resolveAlert(scope, KIND, subjectOf(connectionId, name, thing));
}

/** A recent window is read again each day, and one that costs more calls each week. */
const READ_AGAIN = { recent: { hours: 7 * 24 }, often: { hours: 24 }, seldom: { hours: 7 * 24 } };

/**
 * From when a sync run reads again, for things without a name; `from` null = from the beginning,
 * as a first import does. Null = not now.
 */
export function readAgainFrom(
  scope: ReadScope,
  connectionId: string,
  name: StreamName,
): Promise<{ readonly from: Instant | null } | null> {
  const now = scope.clock.now();
  const isRecent = (from: Instant | null) =>
    from !== null && Temporal.Instant.compare(from.add(READ_AGAIN.recent), now) > 0;
  return namelessFrom(scope, { connectionId, stream: name, reason: TOO_LARGE }, (from) =>
    now.subtract(isRecent(from) ? READ_AGAIN.often : READ_AGAIN.seldom),
  );
}

/**
 * Resolves the alert of things without a name, where sync runs over all their windows did not meet
 * them again.
 * @param window of a sync run that has come to its end; `from` null = it showed everything
 */
export async function noteWhole(
  organization: OrganizationDatabase,
  connectionId: string,
  name: StreamName,
  window: Window,
): Promise<void> {
  const subject = subjectOf(connectionId, name, null);
  // The alert is rare; this read avoids a write after each sync run.
  if (!(await organization.read((scope) => isRaised(scope, KIND, subject)))) return;
  const rows = { connectionId, stream: name, reason: TOO_LARGE };
  await organization.write(async (scope) => {
    const left = await forgetNameless(scope, rows, window);
    if (left === 0) await resolveAlert(scope, KIND, subject);
  });
}

function subjectOf(connectionId: string, name: StreamName, thing: string | null): string {
  return `${connectionId}:${name}:${thing ?? ''}`;
}
