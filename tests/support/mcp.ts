import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type Agent, mcpAddress } from './agents.ts';
import type { TestApp } from './app.ts';

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
}

interface RpcOptions {
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
  /** In place of the message. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const MODERN = '2026-07-28';
export const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'prueba', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const EVERYWHERE = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Sends bytes to the agent endpoint and checks what holds for every answer of it. */
export async function post(own: TestApp, options: RpcOptions): Promise<RpcAnswer> {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  for (const [name, value] of Object.entries(options.headers ?? {}))
    value === null ? headers.delete(name) : headers.set(name, value);
  const { method = 'POST', body } = options;
  const response = await fetch(mcpAddress(own), {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  for (const name of EVERYWHERE) assert.match(response.headers.get(name) ?? '', /^\d+$/, name);
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  };
}

/** A request of the revision of 2026. */
export function ask(
  own: TestApp,
  agent: Agent,
  method: string,
  params: Record<string, unknown> = {},
  options: RpcOptions = {},
): Promise<RpcAnswer> {
  const name = params.name ?? params.uri;
  return post(own, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: META } }),
    ...options,
    headers: {
      ...agent.headers,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...options.headers,
    },
  });
}

export function callTool(
  own: TestApp,
  agent: Agent,
  name: string,
  given: Record<string, unknown> = {},
): Promise<RpcAnswer> {
  return ask(own, agent, 'tools/call', { name, arguments: given });
}

/** The same as an agent of 2025 would ask. */
export function askOld(
  own: TestApp,
  agent: Agent,
  method: string,
  params: Record<string, unknown> = {},
): Promise<RpcAnswer> {
  return post(own, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 'uno', method, params }),
    headers: { ...agent.headers, 'mcp-protocol-version': '2025-11-25' },
  });
}

/** A call under another name of the instance, which `fetch` would not send. */
export async function callAs(own: TestApp, agent: Agent, host: string): Promise<RpcAnswer> {
  const headers = { ...agent.headers, host, 'content-type': 'application/json' };
  const sent = request(mcpAddress(own), { method: 'POST', headers });
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  const answered = new Headers(response.headers as Record<string, string>);
  return { status: response.statusCode ?? 0, headers: answered, text, body: JSON.parse(text) };
}
