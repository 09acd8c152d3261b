import { type KeptAlert, listAlerts } from '../features/alerts/index.ts';
import { listSetAside } from '../features/connections/index.ts';
import { INSTANCE } from '../features/schedules/index.ts';
import { formatMillis } from '../platform/time.ts';
import { type Command, inContext, organizationOf } from './command.ts';

export const alertsCommand: Command = {
  usage: 'alerts [--organization ID] [--all]',
  about:
    'Muestra las alertas abiertas de una organización o, sin --organization, las de la instalación; con --all, también las resueltas.',
  options: ['organization'],
  required: [],
  flags: ['all'],
  async run({ organization: id, all }) {
    const alerts = await inContext(async ({ database }) => {
      const place = id === undefined ? INSTANCE : (await organizationOf(database, id)).id;
      return database.within(place).read((scope) => listAlerts(scope, { all: all !== undefined }));
    });
    return {
      json: { alerts: alerts.map(presentAlert) },
      text:
        alerts.length === 0 ? 'No hay alertas abiertas.' : alerts.map(describeAlert).join('\n\n'),
    };
  },
};

export const unreadableCommand: Command = {
  usage: 'unreadable --organization ID [--documents]',
  about:
    'Muestra lo que se dejó aparte porque no se pudo leer o guardar, y por qué; con --documents, también lo que se recibió.',
  options: ['organization'],
  required: ['organization'],
  flags: ['documents'],
  async run({ organization: id, documents }) {
    const found = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).read(listSetAside);
    });
    const items = found.map((aside) => ({
      marketplace: aside.service,
      account_id: aside.accountId,
      stream: aside.stream,
      external_id: aside.externalId,
      path: aside.path,
      reason: aside.reason,
      at: formatMillis(aside.at),
      ...(documents !== undefined && { document: aside.document }),
    }));
    const lines = items.map(
      (item) =>
        `${item.at}  ${item.marketplace} ${item.account_id} ${item.stream} ${item.external_id ?? 'sin identificador'}: ${item.path}: ${item.reason}${item.document ? `\n${item.document}` : ''}`,
    );
    return {
      json: { items },
      text: lines.length === 0 ? 'Todo se pudo leer.' : lines.join('\n'),
    };
  },
};

function presentAlert({ kind, subject, message, firstAt, lastAt, count, resolvedAt }: KeptAlert) {
  return {
    kind,
    subject,
    message,
    first_at: formatMillis(firstAt),
    last_at: formatMillis(lastAt),
    count,
    resolved_at: resolvedAt && formatMillis(resolvedAt),
  };
}

function describeAlert(alert: KeptAlert): string {
  const { kind, subject, message, first_at, last_at, count, resolved_at } = presentAlert(alert);
  const since = count === 1 ? first_at : `${first_at} a ${last_at}, ${count} veces`;
  const end = resolved_at === null ? '' : `, resuelto ${resolved_at}`;
  return `${message}\n  ${kind} ${subject}: ${since}${end}`;
}
