import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentAccess } from '../../features/grants/index.ts';
import { Failure, fail } from '../../platform/failure.ts';
import type { Charge } from '../guard.ts';
import { contextOf, noteFailure, readBytes } from '../http.ts';
import type { Surface } from '../surface.ts';
import { findTool } from './all-tools.ts';
import type { CallParts } from './call.ts';
import { admitAgent, type GuardParts, identifyAgent } from './guard.ts';
import { type Allowed, originOf, PREFLIGHT_HEADERS, pageHeaders } from './origins.ts';
import type { Answer, AnswerMessage } from './protocol.ts';
import {
  type HeaderPairs,
  type Message,
  methodNotFound,
  readMessage,
  sendFault,
  sendRefusal,
} from './rpc.ts';
import { traceparentOf } from './trace.ts';

interface McpParts extends CallParts, GuardParts {
  readonly charge: Charge;
  /** Asked late: the system may choose the port. */
  readonly allowed: () => Allowed;
}

const PATH = '/mcp';
const MOST_BODY_BYTES = 1_048_576;
const ALLOW = { headers: { allow: 'POST, OPTIONS' } };
/** What the protocol looks at; the token is not passed on. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** The server sends no notifications, so there is no stream to wait on. */
const NOT_SERVED = ['subscriptions/listen'];

/**
 * The agent endpoint: MCP of 2026-07-28 and of 2025 on one address, without sessions, read-only.
 */
export function openMcp(parts: McpParts): Surface {
  const protocol = openedLate(parts);
  return {
    prefix: PATH,
    handle(request, response) {
      const state: { id: Message['id'] } = { id: null };
      const answered = answer(parts, protocol, request, response, state);
      // A body whose end does not come, or a database that hangs, ends with the protocol's error.
      const inTime = Promise.race([answered, ended(contextOf(request).signal)]);
      inTime.catch(async (error) => {
        const failure = noteFailure(parts.log, request, error, 'agent request failed');
        // Of a wrong address, method or origin the token was not asked for.
        if (failure.status < 500) await parts.charge(request);
        sendRefusal(response, failure, contextOf(request), state.id);
      });
    },
  };
}

/** The protocol's library is loaded by the first message: it is a tenth of what a start costs. */
function openedLate(parts: CallParts): () => Promise<AnswerMessage> {
  let opened: Promise<AnswerMessage> | null = null;
  return () => {
    opened ??= import('./protocol.ts').then(({ openProtocol }) => openProtocol(parts));
    return opened;
  };
}

/** Origin → method → token (401) → organisation, plan, scope (403) → quota (429) → the protocol. */
async function answer(
  parts: McpParts,
  protocol: () => Promise<AnswerMessage>,
  request: IncomingMessage,
  response: ServerResponse,
  state: { id: Message['id'] },
): Promise<void> {
  if (request.url?.split('?', 1)[0] !== PATH) throw fail('not_found');
  const origin = originOf(request, parts.allowed());
  if (origin !== null)
    for (const [name, value] of Object.entries(pageHeaders(origin)))
      response.setHeader(name, value);
  if (request.method === 'OPTIONS' && origin !== null) {
    response.writeHead(204, PREFLIGHT_HEADERS).end();
    return;
  }
  if (request.method !== 'POST') throw fail('method_not_allowed', ALLOW);
  const caller = await identifyAgent(parts, request);
  const read = readMessage(await readCounted(parts, request, caller));
  // A body may arrive slowly, and the agent be disconnected meanwhile.
  const access = await identifyAgent(parts, request);
  if ('message' in read) {
    state.id = read.message.id;
    contextOf(request).traceparent = traceparentOf(read.message.params);
  }
  await admitAgent(parts, request, access, 'message' in read ? scopesOf(read.message) : []);
  if ('fault' in read) return sendFault(response, read.fault);
  if (NOT_SERVED.includes(read.message.method))
    return sendFault(response, methodNotFound(read.message.id));
  const { id: requestId, operator, signal, traceparent } = contextOf(request);
  const answerMessage = await protocol();
  const answered = await answerMessage(read.message, headersOf(request), {
    access,
    requestId,
    operator,
    signal,
    traceparent,
  });
  send(response, answered);
}

/** What cannot be read whole is one request of the quota, too. */
async function readCounted(
  parts: McpParts,
  request: IncomingMessage,
  access: AgentAccess,
): Promise<Buffer> {
  try {
    return await readBytes(request, MOST_BODY_BYTES);
  } catch (error) {
    await admitAgent(parts, request, access, []);
    throw error;
  }
}

/** Everything that what is asked for needs, so that one challenge names it all. */
function scopesOf({ method, params }: Message) {
  if (method !== 'tools/call' || typeof params.name !== 'string') return [];
  const scope = findTool(params.name)?.scope;
  return scope ? [scope] : [];
}

function headersOf({ headers }: IncomingMessage): HeaderPairs {
  return HEADERS.flatMap((name) => {
    const value = name === 'accept' ? acceptOf(headers.accept) : headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
}

const BOTH_TYPES = 'application/json, text/event-stream';

/** Revisions of 2025 demand both types by their names; every answer of ours is JSON. */
function acceptOf(accept = '*/*'): string {
  return /application\/(json|\*)|\*\/\*/.test(accept) ? BOTH_TYPES : accept;
}

/** Ends at the time limit, which also cancels the query, or when the caller disconnects. */
function ended(signal: AbortSignal): Promise<never> {
  const reasonOf = () =>
    signal.reason instanceof Failure ? signal.reason : fail('request_timeout');
  return new Promise((_, reject) => {
    if (signal.aborted) reject(reasonOf());
    signal.addEventListener('abort', () => reject(reasonOf()), { once: true });
  });
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    ...(type && { 'content-type': type }),
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
