import { serviceName } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import { isStillConnected, type SealedConnection } from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf } from '../streams.ts';

const KIND = 'unreadable';

/** Whether the pages of a sync run can be read at all. */
interface Readability {
  /** A page is stored. */
  note(rows: number, readable: number): Promise<void>;
}

/**
 * Raises an alert for a page without a readable row, and resolves it with the next readable one.
 */
export function watchReadability(
  { database }: Pick<ExchangeParts, 'database'>,
  { organizationId, id, service }: SealedConnection,
  name: StreamName,
): Readability {
  const organization = database.within(organizationId);
  const subject = `${id}:${name}`;
  // Unknown of earlier runs.
  let isRaised: boolean | null = null;
  return {
    async note(rows, readable) {
      const isBlank = rows > 0 && readable === 0;
      if (rows === 0 || (!isBlank && isRaised === false)) return;
      isRaised = isBlank;
      const message = `${factsOf(name).title}: ${serviceName(service)} nos mandó datos y no pudimos leer ninguno. Los guardamos aparte y los volvemos a pedir solos; ya lo estamos revisando.`;
      await organization.write(async (scope) => {
        if (!isBlank) await resolveAlert(scope, KIND, subject);
        else if (await isStillConnected(scope, id))
          await raiseAlert(scope, { kind: KIND, subject, message });
      });
    },
  };
}
