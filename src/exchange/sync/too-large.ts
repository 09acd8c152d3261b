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
 * Things that are too large to be read were set aside: an alert says which ones, since nothing else
 * of them is shown; one alert for all those of which nothing tells which they are.
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

/** It could be read at last. */
export async function noteReadable(
  scope: WriteScope,
  connectionId: string,
  name: StreamName,
  thing: string,
): Promise<void> {
  await resolveAlert(scope, KIND, subjectOf(connectionId, name, thing));
}

/**
 * A pass over all that there is came to its end: if it met nothing that is set aside, all could be
 * read.
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
