import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { INFO } from '../../src/entrances/mcp/server.ts';
import { anAgent } from '../support/agents.ts';
import { openApp } from '../support/app.ts';
import { logInto } from '../support/log.ts';
import { ask, META } from '../support/mcp.ts';

// How registries, hosts and tracing systems know the agent endpoint.

const ROOT = join(import.meta.dirname, '..', '..');
const MOST_ICON_BYTES = 3_072;

/** What the registry's schema of 2025-12-11 says of a server that is only remote. */
const ServerJson = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.string().regex(/^(https?:\/\/[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$/),
        variables: z.record(
          z.string(),
          z.strictObject({
            description: z.string(),
            isRequired: z.boolean(),
            placeholder: z.string(),
          }),
        ),
      }),
    )
    .length(1),
});

test('server.json keeps the schema of the registry, and is of the server that answers', () => {
  const server = ServerJson.parse(JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8')));

  assert.deepEqual(
    [server.name.split('/')[1], server.title, server.version],
    [INFO.name, INFO.title, INFO.version],
  );
  const [remote] = server.remotes;
  const named = [...String(remote?.url).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  assert.deepEqual(named, Object.keys(remote?.variables ?? {}));
});

test('the icon is a drawing of ours, without script or foreign addresses', () => {
  const [, encoded = ''] = String(INFO.icons[0]?.src).split('base64,');
  const icon = Buffer.from(encoded, 'base64').toString();

  assert.ok(Buffer.byteLength(icon) <= MOST_ICON_BYTES);
  assert.match(icon, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.doesNotMatch(icon.replace('http://www.w3.org/2000/svg', ''), /script|href|:\/\/|on\w+=/);
});

test('the trace that a message names is in the log line of its request, and rubbish is not', async (t) => {
  const lines: string[] = [];
  const instance = await openApp(t, { log: logInto(lines) });
  const agent = await anAgent(instance);
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const traces = [traceparent, '00-zz-1-01', { a: 1 }, traceparent.replace('00f067aa', '10f067aa')];

  for (const given of traces) {
    const params = { name: 'get_account', arguments: {}, _meta: { ...META, traceparent: given } };
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
    const { body } = await ask(instance, agent, 'tools/call', params, {
      body: JSON.stringify(message),
    });
    assert.notEqual(body.result.isError, true);
  }

  const logged = lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/mcp');
  assert.deepEqual(
    logged.map((line) => line.traceparent),
    [traces[0], undefined, undefined, traces[3]],
  );
});
