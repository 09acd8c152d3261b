import type { Page, StreamName } from '../connectors/contract.ts';
import { raiseAlert, resolveAlert } from '../features/alerts/index.ts';
import type { SealedConnection } from '../features/connections/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import { nameOf } from './errors.ts';
import { keepingOf } from './keep.ts';
import type { ExchangeParts } from './parts.ts';

const KIND = 'too_large';

/** A thing that is too large to be read was set aside: an alert says which one, since nothing else of it is shown. */
export async function noteTooLarge(
  { database }: Pick<ExchangeParts, 'database'>,
  { organizationId, id, service }: SealedConnection,
  name: StreamName,
  { items }: Page<unknown>,
): Promise<void> {
  const things = items.flatMap((read) => (read.ok || read.externalId === null ? [] : [read.externalId]));
  await database.within(organizationId).write(async (scope) => {
    for (const thing of things)
      await raiseAlert(scope, {
        kind: KIND,
        subject: subjectOf(id, name, thing),
        message: `${keepingOf(name).title}: ${nameOf(service)} nos manda ${thing} con más datos de los que podemos leer. Lo guardamos aparte y lo volvemos a pedir solos; lo demás sigue entrando.`,
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

function subjectOf(connectionId: string, name: StreamName, thing: string): string {
  return `${connectionId}:${name}:${thing}`;
}
