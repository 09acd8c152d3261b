import type { ReadScope } from '../../../platform/db/database.ts';
import { listConnections } from '../../connections/index.ts';
import { IMPORT_ACCOUNT } from '../../orders/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { openCalendar } from './calendar.ts';
import type { Reader } from './column.ts';

/** The account of orders that came from a file. */
const IMPORTED = 'Archivo importado';

/** Of the organisation as it was when its rows were. */
export async function openReader(scope: ReadScope): Promise<Reader> {
  const organization = await findOrganization(scope.handle, scope.organizationId);
  if (!organization) throw new Error(`no organisation ${scope.organizationId}`);
  const { name, timezone } = organization;
  const accounts = await listConnections(scope);
  const keyOf = (service: string, text: string) => `${service}\n${text}`;
  const names = new Map(accounts.map((one) => [keyOf(one.service, one.accountId), one.name]));
  const namesakes = Map.groupBy(accounts, (one) => keyOf(one.service, one.name));
  return {
    organization: name,
    timezone,
    accountName(service, id) {
      const known = names.get(keyOf(service, id));
      if (known === undefined) return id === IMPORT_ACCOUNT ? IMPORTED : id;
      const isOnly = namesakes.get(keyOf(service, known))?.length === 1;
      return isOnly ? known : `${known} (${id})`;
    },
    serialOf: openCalendar(timezone),
    dayOf: (instant) =>
      Temporal.Instant.from(instant)
        .toZonedDateTimeISO(timezone)
        .toLocaleString('es-MX', { day: '2-digit', month: '2-digit', year: 'numeric' }),
  };
}
