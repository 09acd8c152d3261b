import type { ServerResponse } from 'node:http';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { abandonConsent, finishConsent } from '../../exchange/connect.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { fail } from '../../platform/failure.ts';
import type { Surface } from '../front.ts';
import { contextOf, noteFailure } from '../http.ts';

const PREFIX = '/connect/';

/** Where marketplaces send the seller's browser back after consent. */
export function consentReturn(parts: ExchangeParts): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      const { id } = contextOf(request);
      finish(parts, request.method ?? 'GET', new URL(request.url ?? '/', 'http://tianguis'))
        .then((sentence) => sendPage(response, 200, 'Cuenta conectada', sentence))
        .catch((error) => {
          const failure = noteFailure(parts.log, request, error, 'consent failed');
          sendPage(
            response,
            failure.status,
            'No se conectó la cuenta',
            `${failure.message} (${id})`,
            failure.headers,
          );
        });
    },
  };
}

async function finish(parts: ExchangeParts, method: string, url: URL): Promise<string> {
  const marketplace = MARKETPLACES.find((slug) => url.pathname === `${PREFIX}${slug}`);
  if (!marketplace || !findConnector(marketplace as Marketplace)?.auth.consent) throw fail('not_found');
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

/** Of a parameter that came twice nobody knows which one the marketplace meant. */
function readAnswer(parameters: URLSearchParams): Record<string, string> {
  const answer = Object.fromEntries(parameters);
  if (Object.keys(answer).length !== parameters.size)
    throw fail('invalid_request', {
      message: 'La respuesta no se entiende, así que no se conectó nada. Vuelve a empezar.',
    });
  return answer;
}

function sendPage(
  response: ServerResponse,
  status: number,
  title: string,
  sentence: string,
  headers: Record<string, string> = {},
): void {
  const page = `<!doctype html><html lang="es-MX"><meta charset="utf-8"><title>${escapeHtml(title)} · Tianguis</title><h1>${escapeHtml(title)}</h1><p>${escapeHtml(sentence)}</p></html>`;
  // The time limit may have answered already.
  if (response.headersSent) return;
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
  });
  response.end(page);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
