/** The acts on one endpoint. */
import { webhookEndpointLimit } from '../../../features/organizations/index.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  type Endpoint,
  enableEndpoint,
  resendEvents,
  rotateSecret,
  sendTest,
} from '../../../features/webhooks-out/index.ts';
import { invalid } from '../../../platform/failure.ts';
import { addressIn, noteEventIn, type PageMembership } from '../membership.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from '../page-request.ts';
import { atWebhooks, WEBHOOK_PATHS, type WebhookPage, write } from './access.ts';
import { RESEND_HOURS } from './endpoint-page.ts';
import { removalReply, rotationReply, secretReply } from './endpoints-pages.ts';
import { asked, lackOf, makeOnce, requireServed, said, show } from './one-endpoint.ts';

export async function setState(request: PageRequest): Promise<Reply> {
  return act(request, 'state', async (membership, endpoint) => {
    const isOn = typed(request, 'estado') === 'activo';
    if (isOn) requireServed(membership);
    await write(request, membership, async (scope, by) =>
      isOn
        ? enableEndpoint(scope, by, endpoint.id, await webhookEndpointLimit(scope))
        : disableEndpoint(scope, by, endpoint.id),
    );
    return isOn
      ? said(request, membership, endpoint, 'webhook_endpoint_enabled', 'activo')
      : said(request, membership, endpoint, 'webhook_endpoint_disabled', 'inactivo');
  });
}

export async function testOne(request: PageRequest): Promise<Reply> {
  return act(request, 'test', async (membership, endpoint) => {
    requireServed(membership);
    await write(request, membership, (scope, by) => sendTest(scope, by, endpoint.id));
    return said(request, membership, endpoint, 'webhook_test_sent', 'prueba');
  });
}

/** One event, or all that failed in the hours that were chosen. */
export async function resend(request: PageRequest): Promise<Reply> {
  return act(request, 'resend', async (membership, endpoint) => {
    requireServed(membership);
    const eventId = request.form.get('evento');
    const hours = typed(request, 'horas');
    if (eventId === null && !Object.hasOwn(RESEND_HOURS, hours))
      throw invalid('horas', 'Elige desde cuándo se envían de nuevo.');
    const since = request.clock.now().subtract({ hours: Number(hours) });
    const what = eventId === null ? { eventId, since } : { eventId, since: null };
    const count = await write(request, membership, (scope, by) =>
      resendEvents(scope, by, endpoint.id, what),
    );
    const word = count === 0 ? 'ninguno' : eventId === null ? 'reenviados' : 'reenviado';
    return said(request, membership, endpoint, 'webhook_events_resent', word);
  });
}

export async function rotationPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'rotate', async (membership) => {
    requireServed(membership);
    const detour = lackOf(request, membership, 'rotate');
    return detour ?? rotationReply(membership, await asked(request, membership));
  });
}

/** Shows the new secret, this once. */
export async function rotate(request: PageRequest): Promise<Reply> {
  return act(request, 'rotate', async (membership, endpoint) => {
    requireServed(membership);
    const detour = lackOf(request, membership, 'rotate');
    if (detour) return detour;
    const made = await makeOnce(request, membership, endpoint.id, (scope, by) =>
      rotateSecret(scope, by, endpoint.id),
    );
    noteEventIn(request, membership, 'webhook_secret_rotated', { subject: made.id });
    return secretReply(membership, { ...made, isNew: false });
  });
}

export async function removalPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'remove', async (membership) =>
    removalReply(membership, await asked(request, membership)),
  );
}

export async function remove(request: PageRequest): Promise<Reply> {
  return act(request, 'remove', async (membership, { id }) => {
    await write(request, membership, (scope, by) => deleteEndpoint(scope, by, id));
    noteEventIn(request, membership, 'webhook_endpoint_deleted', { subject: id });
    return { to: addressIn(membership, WEBHOOK_PATHS.list, { aviso: 'eliminado' }) };
  });
}

/** An act on one endpoint; its page says what is wrong. */
function act(
  request: PageRequest,
  page: WebhookPage,
  work: (membership: PageMembership, endpoint: Endpoint) => Promise<Reply>,
): Promise<Reply> {
  return atWebhooks(request, page, async (membership) => {
    const endpoint = await asked(request, membership);
    return orShowAgain(
      () => work(membership, endpoint),
      ({ message }) => show(request, membership, { wrong: message }),
    );
  });
}
