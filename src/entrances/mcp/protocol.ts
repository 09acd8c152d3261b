import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
  type AgentRequest,
  type Answered,
  type CallParts,
  callTool,
  type Outcome,
} from './call.ts';
import { enclosed, envelopeOf, isObject, openEnvelopeCache, shapeOf } from './envelope-cache.ts';
import { faultOfParams } from './params.ts';
import type { HeaderPairs, Message } from './rpc.ts';
import { type Served, serverFor } from './server.ts';

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer | string;
}

/** Answers messages of admitted agents, in every revision of the protocol that is served. */
export type AnswerMessage = (
  message: Message,
  headers: HeaderPairs,
  request: AgentRequest,
) => Promise<Answer>;

/**
 * The SDK validates and answers every message, but for tool calls of a shape that it has answered
 * before: those get the envelope that it wrote then.
 */
export function openProtocol(parts: CallParts): AnswerMessage {
  const ask = openSdk(parts);
  const envelopes = openEnvelopeCache();
  return async (message, headers, request) => {
    const shape = shapeOf(headers, message);
    const known = shape === null ? null : envelopes.find(shape, message.id);
    const outcome = known && (await callTool(parts, request, message.params as { name: string }));
    if (outcome && 'json' in outcome)
      return { status: 200, type: 'application/json', body: enclosed(known, outcome) };

    const served = { request, given: message.params.arguments, outcome };
    const response = await ask(acceptable(message), headers, served);
    const { status } = response;
    const type = response.headers.get('content-type');
    const text = await response.text();
    const result = resultOf(served.outcome);
    const envelope = result === null ? null : envelopeOf(text);
    if (result === null || envelope === null) return { status, type, body: text };
    if (shape !== null && status === 200) envelopes.learn(shape, message.id, envelope);
    return { status, type, body: enclosed(envelope, result) };
  };
}

/**
 * A call of a tool as the SDK accepts it: it would refuse in English, and as an error of the
 * protocol, arguments that are no object. Ours are read from the message itself.
 */
function acceptable(message: Message): Message {
  const { method, params, whole } = message;
  const { arguments: given, ...others } = params;
  if (method !== 'tools/call' || given === undefined || isObject(given)) return message;
  return { ...message, whole: { ...whole, params: others } };
}

/** As the SDK answers an error of a handler, in each revision. */
function refusalOf({ id }: Message, message: string): Response {
  const error = { code: ProtocolErrorCode.InvalidParams, message };
  return Response.json({ jsonrpc: '2.0', id, error });
}

function resultOf(outcome: Outcome | null): Answered | null {
  return outcome && 'json' in outcome ? outcome : null;
}

type Ask = (message: Message, headers: HeaderPairs, served: Served) => Promise<Response>;

/** The SDK, for both eras of the protocol. */
function openSdk(parts: CallParts): Ask {
  const { fetch } = createMcpHandler(
    ({ authInfo }) => {
      if (!authInfo) throw new Error('the agent was not admitted');
      return serverFor(parts, authInfo.extra?.served as Served);
    },
    { legacy: 'reject' },
  );
  return async (message, headers, served) => {
    const { whole, params } = message;
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: headers.map(([name, value]) => [name, value]),
    });
    const isLegacy = !namesRevision(params) && (await isLegacyRequest(request, whole));
    const fault = faultOfParams(message, isLegacy);
    if (fault !== null) return refusalOf(message, fault);
    if (isLegacy) return askLegacy(parts, request, whole, served);
    const { clientId } = served.request.access;
    return fetch(request, {
      parsedBody: whole,
      authInfo: { token: '', clientId, scopes: [], extra: { served } },
    });
  };
}

/**
 * A request that names its revision is of 2026 or later; what else there is the SDK distinguishes.
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
  request: Request,
  whole: object,
  served: Served,
): Promise<Response> {
  const server = serverFor(parts, served);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: whole });
  } finally {
    await server.close();
  }
}
