import type { Read, StreamName } from '../../connectors/contract.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import { countSetAside, type SealedConnection } from '../../features/connections/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf } from '../streams.ts';
import { nameOf } from '../wire/consequences.ts';

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
    for (const thing of things)
      await raiseAlert(scope, {
        kind: KIND,
        subject: subjectOf(id, name, thing),
        message: `${factsOf(name).title}: ${nameOf(service)} nos manda ${thing === null ? NAMELESS : `${thing} ${NAMED}`}; lo demás sigue entrando.`,
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

/**
 * Resolves the alert of things without a name, where a sync run over everything set nothing aside.
 */
export async function noteWhole(
  scope: WriteScope,
  connectionId: string,
  name: StreamName,
  since: Instant,
): Promise<void> {
  const left = await countSetAside(scope, connectionId, name, since);
  if (left === 0) await resolveAlert(scope, KIND, subjectOf(connectionId, name, null));
}

function subjectOf(connectionId: string, name: StreamName, thing: string | null): string {
  return `${connectionId}:${name}:${thing ?? ''}`;
}
