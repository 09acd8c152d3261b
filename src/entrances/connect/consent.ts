import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { abandonConsent, finishConsent } from '../../exchange/connect/consent.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { fail } from '../../platform/failure.ts';
import type { Surface } from '../front.ts';
import { contextOf, noteFailure, sentenceFor } from '../http.ts';
import { html, renderPage } from '../page.ts';

const PREFIX = '/connect/';

/** Where marketplaces send the seller's browser back after consent. */
export function consentReturn(parts: ExchangeParts): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      const context = contextOf(request);
      finish(parts, request.method ?? 'GET', new URL(request.url ?? '/', 'http://tianguis'))
        .then((sentence) =>
          renderPage(response, { title: 'Cuenta conectada', body: html`<p>${sentence}</p>` }),
        )
        .catch((error) => {
          const failure = noteFailure(parts.log, request, error, 'consent failed');
          const { status, headers } = failure;
          const body = html`<p>${sentenceFor(failure, context)} (${context.id})</p>`;
          renderPage(response, { title: 'No se conectó la cuenta', body, status, headers });
        });
    },
  };
}

async function finish(parts: ExchangeParts, method: string, url: URL): Promise<string> {
  const marketplace = MARKETPLACES.find((slug) => url.pathname === `${PREFIX}${slug}`);
  if (!marketplace || !findConnector(marketplace as Marketplace)?.auth.consent)
    throw fail('not_found');
  if (method !== 'GET') throw fail('method_not_allowed', { headers: { allow: 'GET' } });
  const answer = readAnswer(url.searchParams);
  if (answer.error || !answer.state) {
    if (answer.state) await abandonConsent(parts, answer.state);
    throw fail('invalid_request', {
      message: 'No se dio el permiso, así que no se conectó nada. Puedes intentarlo de nuevo.',
    });
  }
  const { account } = await finishConsent(parts, marketplace, answer);
  return `La cuenta ${account.name} quedó conectada y ya se está sincronizando. Puedes cerrar esta ventana.`;
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
