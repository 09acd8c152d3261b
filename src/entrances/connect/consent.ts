import type { IncomingMessage } from 'node:http';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { abandonConsent, finishConsent } from '../../exchange/connect/consent.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import type { People } from '../../features/people/index.ts';
import { fail } from '../../platform/failure.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { contextOf, noteFailure, sendRedirect, sentenceFor } from '../http.ts';
import { addressOf } from '../navigation.ts';
import { html, renderPage } from '../page.ts';
import type { Surface } from '../surface.ts';

const PREFIX = '/connect/';

/** Where marketplaces send the seller's browser back after consent. */
export function consentReturn(parts: ExchangeParts, people: People): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      const context = contextOf(request);
      finish(parts, people, request)
        .then(({ begunBy, organizationId, marketplace, name }) => {
          if (begunBy !== null)
            return sendRedirect(
              response,
              `${addressOf('connections', organizationId)}?conectada=${marketplace}`,
            );
          const sentence = `La cuenta ${name} quedó conectada y ya se está sincronizando. Puedes cerrar esta ventana.`;
          renderPage(response, { title: 'Cuenta conectada', body: html`<p>${sentence}</p>` });
        })
        .catch((error) => {
          const failure = noteFailure(parts.log, request, error, 'consent failed');
          const { status, headers } = failure;
          const body = html`<p>${sentenceFor(failure, context)} (${context.id})</p>
            <p><a href="${SITE_PAGES.connections.path}">Volver a ${SITE_PAGES.connections.name}</a></p>`;
          renderPage(response, { title: 'No se conectó la cuenta', body, status, headers });
        });
    },
  };
}

async function finish(parts: ExchangeParts, people: People, request: IncomingMessage) {
  const url = new URL(request.url ?? '/', 'http://tianguis');
  const marketplace = MARKETPLACES.find((slug) => url.pathname === `${PREFIX}${slug}`);
  if (!marketplace || !findConnector(marketplace as Marketplace)?.auth.consent)
    throw fail('not_found');
  if (request.method !== 'GET') throw fail('method_not_allowed', { headers: { allow: 'GET' } });
  const answer = readAnswer(url.searchParams);
  if (answer.error || !answer.state) {
    if (answer.state) await abandonConsent(parts, answer.state);
    throw fail('invalid_request', {
      message: 'No se dio el permiso, así que no se conectó nada. Puedes intentarlo de nuevo.',
    });
  }
  const person = await people.signedIn(request.headers);
  const { address, signal } = contextOf(request);
  const by = person && { personId: person.id, address };
  const { account, ...done } = await finishConsent(parts, marketplace, answer, { by, signal });
  return { ...done, marketplace, name: account.name };
}

/** A parameter that appears twice is ambiguous. */
function readAnswer(parameters: URLSearchParams): Record<string, string> {
  const answer = Object.fromEntries(parameters);
  if (Object.keys(answer).length !== parameters.size)
    throw fail('invalid_request', {
      message: 'La respuesta no se entiende, así que no se conectó nada. Vuelve a empezar.',
    });
  return answer;
}
