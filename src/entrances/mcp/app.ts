import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { AgentAccess } from '../../features/grants/index.ts';
import { Failure, fail } from '../../platform/failure.ts';
import type { Surface } from '../front.ts';
import { contextOf, noteFailure, readBody } from '../http.ts';
import type { CallParts, Exchange } from './call.ts';
import { admitAgent, type GuardParts, identifyAgent } from './guard.ts';
import { type Allowed, originOf, PREFLIGHT_HEADERS, pageHeaders } from './origins.ts';
import { type Message, methodNotFound, readMessage, sendFault, sendRefusal } from './rpc.ts';
import { serverFor } from './server.ts';
import { type Splice, withAnswer } from './splice.ts';
import { findTool } from './table.ts';

interface McpParts extends CallParts, GuardParts {
  /** Asked late: the system may choose the port. */
  readonly allowed: () => Allowed;
}

const PATH = '/mcp';
const MOST_BODY_BYTES = 1_048_576;
const ALLOW = { headers: { allow: 'POST, OPTIONS' } };
/** What the SDK looks at; the token is none of its business. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** Nothing here is ever announced, so nobody can wait for it. */
const NOT_SERVED = ['subscriptions/listen'];

/** The agent endpoint: MCP of 2026-07-28 and of 2025 on one address, without sessions, read-only. */
export function openMcp(parts: McpParts): Surface {
  const modern = createMcpHandler(
    ({ authInfo }) => {
      if (!authInfo) throw new Error('nobody was let in');
      const { exchange, splice } = authInfo.extra as unknown as Served;
      return serverFor(parts, exchange, splice);
    },
    { legacy: 'reject' },
  );
  return {
    prefix: PATH,
    handle(request, response) {
      const state: { id: Message['id'] } = { id: null };
      answer(parts, modern.fetch, request, response, state).catch((error) => {
        const failure = noteFailure(parts.log, request, error, 'agent request failed');
        sendRefusal(response, failure, contextOf(request).id, state.id);
      });
    },
  };
}

type Fetch = ReturnType<typeof createMcpHandler>['fetch'];

/** What the SDK hands back to us when it wants the server of a request. */
interface Served {
  readonly exchange: Exchange;
  readonly splice: Splice;
}

/** Origin → method → token (401) → organisation, plan, scope (403) → quota (429) → the protocol. */
async function answer(
  parts: McpParts,
  modern: Fetch,
  request: IncomingMessage,
  response: ServerResponse,
  state: { id: Message['id'] },
): Promise<void> {
  if (request.url?.split('?', 1)[0] !== PATH) throw fail('not_found');
  const origin = originOf(request, parts.allowed());
  if (origin !== null)
    for (const [name, value] of Object.entries(pageHeaders(origin))) response.setHeader(name, value);
  if (request.method === 'OPTIONS' && origin !== null) {
    response.writeHead(204, PREFLIGHT_HEADERS).end();
    return;
  }
  if (request.method !== 'POST') throw fail('method_not_allowed', ALLOW);
  const context = contextOf(request);
  const access = await identifyAgent(parts, request);
  const read = readMessage(await readCounted(parts, request, access));
  if ('message' in read) state.id = read.message.id;
  await admitAgent(parts, request, access, 'message' in read ? scopesOf(read.message) : []);
  if ('fault' in read) return sendFault(response, read.fault);
  if (NOT_SERVED.includes(read.message.method)) return sendFault(response, methodNotFound(read.message.id));
  const { id: requestId, signal } = context;
  const served = { exchange: { access, requestId, signal }, splice: { json: null } };
  const result = await Promise.race([serve(parts, modern, request, read.message, served), ended(signal)]);
  await send(response, result, served.splice);
}

/** What cannot be read whole is one request of the quota, too. */
async function readCounted(parts: McpParts, request: IncomingMessage, access: AgentAccess): Promise<string> {
  try {
    return await readBody(request, MOST_BODY_BYTES);
  } catch (error) {
    await admitAgent(parts, request, access, []);
    throw error;
  }
}

/** Everything that what is asked for needs, so that one challenge names it all. */
function scopesOf({ method, params }: Message) {
  const scope = method === 'tools/call' ? findTool(String(params.name))?.scope : null;
  return scope ? [scope] : [];
}

async function serve(
  parts: McpParts,
  modern: Fetch,
  request: IncomingMessage,
  { whole, params }: Message,
  served: Served,
): Promise<Response> {
  const asked = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(request) });
  if (!namesRevision(params) && (await isLegacyRequest(asked, whole)))
    return serveLegacy(parts, asked, whole, served);
  const { clientId } = served.exchange.access;
  const authInfo = { token: '', clientId, scopes: [], extra: { ...served } };
  return modern(asked, { parsedBody: whole, authInfo });
}

/** A request that names its revision is of 2026 or later; what else there is the SDK tells apart. */
function namesRevision({ _meta: meta }: Message['params']): boolean {
  return typeof meta === 'object' && meta !== null && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY);
}

/** Revisions of 2025: the same server, without sessions; the SDK's own way for them would answer as a stream. */
async function serveLegacy(
  parts: McpParts,
  asked: Request,
  whole: object,
  { exchange, splice }: Served,
): Promise<Response> {
  const server = serverFor(parts, exchange, splice);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(asked, { parsedBody: whole });
  } finally {
    await server.close();
  }
}

function headersOf(request: IncomingMessage): [string, string][] {
  return HEADERS.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
}

/** The time limit, which also cancels the query; or nobody waits for the answer any more. */
function ended(signal: AbortSignal): Promise<never> {
  const reasonOf = () => (signal.reason instanceof Failure ? signal.reason : fail('request_timeout'));
  return new Promise((_, reject) => {
    if (signal.aborted) reject(reasonOf());
    signal.addEventListener('abort', () => reject(reasonOf()), { once: true });
  });
}

async function send(response: ServerResponse, result: Response, splice: Splice): Promise<void> {
  if (response.headersSent) return;
  const body = withAnswer(await result.text(), splice);
  const type = result.headers.get('content-type');
  response.writeHead(result.status, {
    ...(type && { 'content-type': type }),
    'content-length': body.byteLength,
  });
  response.end(body);
}
