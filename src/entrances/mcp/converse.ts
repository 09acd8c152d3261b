import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type CallParts, callTool, type Exchange, type Outcome } from './call.ts';
import { mannerOf, rememberFrames } from './frames.ts';
import type { HeaderPairs, Message } from './rpc.ts';
import { type Served, serverFor } from './server.ts';
import { framed, frameOf } from './splice.ts';

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer | string;
}

/**
 * Answers the messages of agents that were let in, in every revision of the protocol that is
 * served.
 */
export type Converse = (
  message: Message,
  headers: HeaderPairs,
  exchange: Exchange,
) => Promise<Answer>;

/**
 * The SDK judges and answers every message. A call in a manner that it has let through before is
 * answered in the frame that it wrote then.
 */
export function openConversation(parts: CallParts): Converse {
  const ask = openProtocol(parts);
  const frames = rememberFrames();
  return async (message, headers, exchange) => {
    const manner = mannerOf(headers, message);
    const known = manner === null ? null : frames.find(manner, message.id);
    const outcome = known && (await callTool(parts, exchange, message.params as { name: string }));
    if (outcome && 'json' in outcome)
      return { status: 200, type: 'application/json', body: framed(known, outcome.json) };

    const served = { exchange, outcome };
    const response = await ask(message, headers, served);
    const { status } = response;
    const type = response.headers.get('content-type');
    const text = await response.text();
    const answer = answerOf(served.outcome);
    const frame = answer === null ? null : frameOf(text);
    if (answer === null || frame === null) return { status, type, body: text };
    if (manner !== null && status === 200) frames.learn(manner, message.id, frame);
    return { status, type, body: framed(frame, answer) };
  };
}

function answerOf(outcome: Outcome | null): string | null {
  return outcome && 'json' in outcome ? outcome.json : null;
}

type Ask = (message: Message, headers: HeaderPairs, served: Served) => Promise<Response>;

/** The SDK, for both eras of the protocol. */
function openProtocol(parts: CallParts): Ask {
  const { fetch } = createMcpHandler(
    ({ authInfo }) => {
      if (!authInfo) throw new Error('nobody was let in');
      return serverFor(parts, authInfo.extra?.served as Served);
    },
    { legacy: 'reject' },
  );
  return async ({ whole, params }, headers, served) => {
    const asked = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: headers.map(([name, value]) => [name, value]),
    });
    if (!namesRevision(params) && (await isLegacyRequest(asked, whole)))
      return askLegacy(parts, asked, whole, served);
    const { clientId } = served.exchange.access;
    return fetch(asked, {
      parsedBody: whole,
      authInfo: { token: '', clientId, scopes: [], extra: { served } },
    });
  };
}

/**
 * A request that names its revision is of 2026 or later; what else there is the SDK tells apart.
 */
function namesRevision({ _meta: meta }: Message['params']): boolean {
  return (
    typeof meta === 'object' && meta !== null && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY)
  );
}

/**
 * Revisions of 2025: the same server, without sessions; the SDK's own way for them would answer as
 * a stream.
 */
async function askLegacy(
  parts: CallParts,
  asked: Request,
  whole: object,
  served: Served,
): Promise<Response> {
  const server = serverFor(parts, served);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(asked, { parsedBody: whole });
  } finally {
    await server.close();
  }
}
