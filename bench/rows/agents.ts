import { randomUUID } from 'node:crypto';
import { letIn } from '../../tests/support/agents.ts';
import { loadBeside } from '../beside.ts';
import { at } from '../data.ts';
import { get, post } from '../load.ts';
import { type Finding, median, type Stand } from '../stand.ts';

const CONNECTIONS = 16;
const ROWS = 50;
const DAY_SECONDS = 86_400;
const MODERN = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * P7: an agent lists fifty orders: the protocol, token, plan, scope, quota, arguments and freshness
 * included.
 */
export async function agents(stand: Stand): Promise<Finding[]> {
  const peer = await stand.peer('pages');
  const token = await tokenAt(stand);
  const what = `tools/call list_orders, ${ROWS} rows compact, ${CONNECTIONS} connections`;
  const modern = await loadBeside(stand, peer, {
    instance: call(token),
    peer: get(`/rows?limit=${ROWS}`),
    connections: CONNECTIONS,
  });
  const old = await loadBeside(stand, peer, {
    instance: callInManner(token, { 'mcp-protocol-version': '2025-11-25' }),
    peer: get(`/rows?limit=${ROWS}`),
    connections: CONNECTIONS,
  });
  const reported = await loadBeside(stand, peer, {
    instance: call(token),
    peer: post(`/reported?limit=${ROWS}`, '{}'),
    connections: CONNECTIONS,
  });
  const finding = (beside: typeof modern, more: string, bar: number | null): Finding => ({
    row: 'P7',
    what: what + more,
    figure: beside.figure,
    ratios: beside.ratios,
    bar: bar === null ? 'none' : `≥ ${bar.toFixed(2)}`,
    passes: bar === null || median(beside.ratios) >= bar,
    limit: beside.spending,
  });
  return [
    finding(modern, '', 0.4),
    finding(old, ', as clients of 2025 ask', null),
    finding(
      reported,
      ', beside a peer that writes the rows twice as the protocol wants them',
      null,
    ),
  ];
}

/** A call of `list_orders` as clients of 2026 send it. */
export function call(token: string): Buffer {
  return callInManner(
    token,
    { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'list_orders' },
    META,
  );
}

function callInManner(token: string, headers: Record<string, string>, meta?: object): Buffer {
  const params = { name: 'list_orders', arguments: { limit: ROWS }, ...(meta && { _meta: meta }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'tools/call', params });
  return post('/mcp', body, {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    ...headers,
  });
}

/** An agent of the big organisation, let in as the authorization server would. */
export function tokenAt({ set, instance }: Pick<Stand, 'set' | 'instance'>): Promise<string> {
  return at(set.url, async (client) => {
    const { token } = await letIn((text, values) => client.query(text, [...values]), {
      organizationId: set.big.organizationId,
      audience: `http://localhost:${instance.port}/mcp`,
      now: Temporal.Now.instant(),
      seconds: DAY_SECONDS,
    });
    return token;
  });
}
