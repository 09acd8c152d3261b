import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Carrier } from '../../carriers/contract.ts';
import { carriersThat } from '../../carriers/registry.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import {
  type EventReceiver,
  openEventReceiver,
} from '../../exchange/webhooks/receive-carrier-events.ts';
import { openSecretVerifier, type SecretVerifier } from '../../features/connections/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { fail } from '../../platform/failure.ts';
import { refuseCaller } from '../guard.ts';
import { contextOf, noteFailure, readBody, sendFailure, sendJson } from '../http.ts';
import type { Surface } from '../surface.ts';

const MOST_BYTES = 256 * 1024;
/** Where the secret may come instead of the query, which proxies and carriers may log. */
const SECRET_HEADER = 'x-webhook-secret';

/** What a receiver of one carrier's events works with. */
interface Receiver {
  readonly carrier: Carrier;
  readonly path: string;
  readonly verifier: SecretVerifier;
  readonly events: EventReceiver;
  readonly quota: Quota;
}

/**
 * What carriers push to an organisation's own address, whose secret is in the query: stored with
 * all that follows from it, and only then answered. The address is in no log line.
 */
export function carrierEventReceivers(
  parts: ExchangeParts,
  notices: Notices,
  quota: Quota,
): readonly Surface[] {
  const verifier = openSecretVerifier(parts.database, notices, parts.clock, parts.keyring);
  return carriersThat(({ facts }) => facts.eventsPath !== null).map(({ slug, facts }) => {
    const path = facts.eventsPath ?? '';
    const events = openEventReceiver(parts, slug);
    const receiver = { carrier: slug, path, verifier, events, quota };
    return {
      prefix: path,
      handle(request, response) {
        receive(receiver, request, response).catch((error) => {
          const failure = noteFailure(parts.log, request, error, 'event not taken');
          sendFailure(response, failure, contextOf(request));
        });
      },
    };
  });
}

async function receive(
  { carrier, path: prefix, verifier, events, quota }: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '', ...query] = (request.url ?? '/').split('?');
  const [publicId = '', ...beyond] = path.slice(prefix.length + 1).split('/');
  if (beyond.length > 0) throw fail('not_found');
  if (request.method !== 'POST') throw fail('method_not_allowed', { headers: { allow: 'POST' } });
  const text = await readBody(request, MOST_BYTES);
  const secret = new URLSearchParams(query.join('?')).get('secret') ?? headerOf(request);
  const organizationId = await verifier.ownerOf({ publicId, service: carrier, secret });
  // A request with the secret always passes.
  if (organizationId === null) throw refuseCaller(quota, request, fail('invalid_webhook_secret'));
  const context = contextOf(request);
  context.organizationId = organizationId;
  const { isDuplicate, isLinked } = await events.receive(organizationId, text);
  const answer = {
    received: true,
    duplicate: isDuplicate,
    linked: isLinked,
    meta: { request_id: context.id },
  };
  sendJson(response, 200, JSON.stringify(answer));
}

function headerOf(request: IncomingMessage): string {
  return request.headersDistinct[SECRET_HEADER]?.[0] ?? '';
}
