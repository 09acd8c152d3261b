import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceSlug } from '../../carriers/contract.ts';
import { type ConnectedService, findService } from '../../carriers/registry.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { isConnectionOf, receiveWebhook } from '../../exchange/webhooks/receive-webhook.ts';
import type { Quota } from '../../features/quota/index.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import { refuseCaller } from '../guard.ts';
import { contextOf, noteFailure, readBody, sendFailure, sendJson } from '../http.ts';
import type { Surface } from '../surface.ts';

const PREFIX = '/api/webhooks/';
const MOST_BYTES = 256 * 1024;

/**
 * Webhooks of marketplaces and carriers, to `<slug>` or `<slug>/<connection>`: kept, answered, and
 * only then acted upon.
 */
export function pushReceiver(parts: ExchangeParts, quota: Quota): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      receive(parts, request, response).catch((error) => {
        const failure = noteFailure(parts.log, request, error, 'webhook not taken');
        sendFailure(response, refusalOf(quota, request, failure), contextOf(request));
      });
    },
  };
}

/** A wrong token counts against its address; a webhook with the right one always passes. */
function refusalOf(quota: Quota, request: IncomingMessage, failure: Failure): Failure {
  return failure.code === 'invalid_webhook_secret'
    ? refuseCaller(quota, request, failure)
    : failure;
}

async function receive(
  parts: ExchangeParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://tianguis');
  const [slug, connectionId = null, ...beyond] = pathname.slice(PREFIX.length).split('/');
  const connector = findService(slug as ServiceSlug);
  const isNamed =
    connectionId === null || (isId(connectionId) && !connector?.notifications?.isTokened);
  if (!connector?.notifications || beyond.length > 0 || !isNamed) throw fail('not_found');
  if (request.method !== 'POST') throw fail('method_not_allowed', { headers: { allow: 'POST' } });
  const text = await readBody(request, await mostBytesOf(parts, connector, connectionId, request));
  const headers = request.headers as Record<string, string>;
  await receiveWebhook(parts, connector, {
    connectionId,
    token: searchParams.get('token'),
    headers,
    text,
  });
  sendJson(
    response,
    200,
    JSON.stringify({ received: true, meta: { request_id: contextOf(request).id } }),
  );
}

/**
 * A body is read before its signature can be checked, so a stranger must not make us hold a large
 * one: that takes the address of a connection.
 */
async function mostBytesOf(
  parts: ExchangeParts,
  connector: ConnectedService,
  connectionId: string | null,
  { headers }: IncomingMessage,
): Promise<number> {
  const most = connector.notifications?.mostBytes ?? MOST_BYTES;
  const isSmall = Number(headers['content-length']) <= MOST_BYTES;
  if (most <= MOST_BYTES || isSmall || connectionId === null) return Math.min(most, MOST_BYTES);
  return (await isConnectionOf(parts, connector, connectionId)) ? most : MOST_BYTES;
}
