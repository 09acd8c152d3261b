import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { takePush } from '../../exchange/take-push.ts';
import { fail } from '../../platform/failure.ts';
import type { Surface } from '../front.ts';
import { asFailure, contextOf, readBody, sendFailure, sendJson } from '../http.ts';

const PREFIX = '/api/webhooks/';
const MOST_BYTES = 256 * 1024;

/** Pushes of marketplaces: kept, answered, and only then acted upon. */
export function marketplaceReceiver(parts: ExchangeParts): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      receive(parts, request, response).catch((error) => {
        const failure = asFailure(error);
        const { id } = contextOf(request);
        if (failure.status >= 500)
          parts.log.error({ request: id, err: failure.cause ?? failure }, 'push not taken');
        sendFailure(response, failure, id);
      });
    },
  };
}

async function receive(
  parts: ExchangeParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const slug = new URL(request.url ?? '/', 'http://tianguis').pathname.slice(PREFIX.length) as Marketplace;
  const connector = findConnector(slug);
  if (!connector?.notifications) throw fail('not_found');
  if (request.method !== 'POST') throw fail('method_not_allowed', { headers: { allow: 'POST' } });
  const body = await readBody(request, MOST_BYTES);
  await takePush(parts, connector, { headers: request.headers as Record<string, string>, body });
  sendJson(response, 200, JSON.stringify({ received: true, meta: { request_id: contextOf(request).id } }));
}
