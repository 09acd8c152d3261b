import { z } from 'zod';
import { webhookEndpointLimit } from '../features/organizations/index.ts';
import {
  createEndpoint,
  disableEndpoint,
  type Endpoint,
  enableEndpoint,
  endpointJson,
  listEndpoints,
  resendEvents,
  rotateSecret,
} from '../features/webhooks-out/index.ts';
import { invalid } from '../platform/failure.ts';
import {
  type Arguments,
  type Command,
  inContext,
  isUuid,
  momentOf,
  organizationOf,
} from './command.ts';

const STATES: Readonly<Record<Endpoint['state'], string>> = {
  enabled: 'activo',
  disabled: 'desactivado',
  disabled_by_plan: 'desactivado por el plan',
};

export const createWebhookEndpoint: Command = {
  usage:
    'create-webhook-endpoint --organization ID --url URL [--types a,b] [--marketplaces a,b] [--accounts a,b] [--rate N] [--signature hmac|ed25519] [--headers JSON] [--operator-trusted]',
  about:
    'Crea un endpoint de webhooks y muestra su secreto una sola vez. Con --operator-trusted se permiten http y direcciones de la red propia.',
  options: [
    'organization',
    'url',
    'types',
    'marketplaces',
    'accounts',
    'rate',
    'signature',
    'headers',
  ],
  required: ['organization', 'url'],
  flags: ['operator-trusted'],
  async run(args) {
    const made = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, args.organization);
      return database
        .within(organization.id)
        .write(async (scope) =>
          createEndpoint(scope, 'operator', termsOf(args), await webhookEndpointLimit(scope)),
        );
    });
    return { json: made, text: secretText(made) };
  },
};

export const webhookEndpoints: Command = {
  usage: 'webhook-endpoints --organization ID',
  about: 'Lista los endpoints de webhooks de una organización y si están activos.',
  options: ['organization'],
  required: ['organization'],
  async run({ organization: id }) {
    const found = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).read(listEndpoints);
    });
    return {
      json: { endpoints: found.map(endpointJson) },
      text:
        found.map(({ id, url, state }) => `${id}  ${STATES[state]}  ${url}`).join('\n') ||
        'La organización no tiene endpoints de webhooks.',
    };
  },
};

export const disableWebhookEndpoint: Command = {
  usage: 'disable-webhook-endpoint --organization ID --id ID',
  about: 'Desactiva un endpoint de webhooks: ya no se le entrega nada.',
  options: ['organization', 'id'],
  required: ['organization', 'id'],
  async run({ organization, id: given }) {
    const id = endpointIdOf(given);
    await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, organization);
      await database
        .within(organizationId)
        .write((scope) => disableEndpoint(scope, 'operator', id));
    });
    return { json: { id, state: 'disabled' }, text: `Endpoint ${id} desactivado.` };
  },
};

export const enableWebhookEndpoint: Command = {
  usage: 'enable-webhook-endpoint --organization ID --id ID',
  about: 'Activa de nuevo un endpoint de webhooks y le entrega lo que esperaba.',
  options: ['organization', 'id'],
  required: ['organization', 'id'],
  async run({ organization: organizationId, id: given }) {
    const id = endpointIdOf(given);
    await inContext(async ({ database }) => {
      const organization = await organizationOf(database, organizationId);
      await database
        .within(organization.id)
        .write(async (scope) =>
          enableEndpoint(scope, 'operator', id, await webhookEndpointLimit(scope)),
        );
    });
    return { json: { id, state: 'enabled' }, text: `Endpoint ${id} activo.` };
  },
};

export const rotateWebhookSecretCommand: Command = {
  usage: 'rotate-webhook-secret --organization ID --id ID',
  about: 'Da un secreto nuevo a un endpoint; el anterior firma también durante 24 horas.',
  options: ['organization', 'id'],
  required: ['organization', 'id'],
  async run({ organization, id: given }) {
    const id = endpointIdOf(given);
    const made = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, organization);
      return database.within(organizationId).write((scope) => rotateSecret(scope, 'operator', id));
    });
    return { json: made, text: secretText(made) };
  },
};

export const resendEventsCommand: Command = {
  usage: 'resend-events --organization ID --endpoint ID (--event ID | --since FECHA)',
  about: 'Envía de nuevo un evento, o todos los que fallaron desde una fecha, a un endpoint.',
  options: ['organization', 'endpoint', 'event', 'since'],
  required: ['organization', 'endpoint'],
  async run({ organization, endpoint, event, since }) {
    const id = endpointIdOf(endpoint);
    const from = since === undefined ? null : momentOf(since);
    if (since !== undefined && from === null)
      throw invalid(
        'since',
        '--since debe ser un día, como 2026-11-21, o una fecha con hora, como 2026-11-21T01:02:03Z.',
      );
    const what = { eventId: event ?? null, since: from };
    const count = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, organization);
      return database
        .within(organizationId)
        .write((scope) => resendEvents(scope, 'operator', id, what));
    });
    return { json: { resent: count }, text: `Eventos que se envían de nuevo: ${count}.` };
  },
};

function termsOf(args: Arguments) {
  return {
    url: args.url ?? '',
    types: listOf(args.types),
    marketplaces: listOf(args.marketplaces),
    accountIds: listOf(args.accounts),
    ratePerMinute: args.rate === undefined ? undefined : Number(args.rate),
    signature: args.signature,
    headers: args.headers === undefined ? undefined : headersIn(args.headers),
    isOperatorTrusted: args['operator-trusted'] !== undefined,
  };
}

function headersIn(text: string): Record<string, string> {
  const read = HEADERS.safeParse(parsed(text));
  if (!read.success)
    throw invalid('headers', 'Escribe los encabezados como JSON: {"x-tienda":"centro"}.');
  return read.data;
}

const HEADERS = z.record(z.string(), z.string());

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((one) => one.trim());
}

function endpointIdOf(text: string | undefined): string {
  if (!isUuid(text)) throw invalid('id', 'El identificador del endpoint no es válido.');
  return text;
}

function secretText({ id, secret }: { id: string; secret: string }): string {
  return `Endpoint ${id}. Guarda su secreto ahora, no se vuelve a mostrar:\n${secret}`;
}
