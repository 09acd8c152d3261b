import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MARKETPLACES } from '../../src/connectors/contract.ts';
import { holdPort, USUAL_PORT } from '../../src/demo/port.ts';
import { welcome } from '../../src/demo/words.ts';
import type { Organization } from '../../src/features/organizations/index.ts';
import { callApi } from '../support/app.ts';
import { eventually, startDemo } from '../support/demo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tianguis-demo-'));
// As root the database runs as another user, who needs access.
chmodSync(dataDir, 0o711);
const started: ChildProcess[] = [];
after(() => {
  for (const demo of started) demo.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

let former: Demo;

test('the demo fills a shop, says where it is in one line, and moves', async (t) => {
  const begun = performance.now();
  const demo = await openDemo();
  t.diagnostic(`ready on a fresh folder after ${Math.round(performance.now() - begun)} ms`);
  assert.deepEqual(Object.keys(demo.line), ['url', 'api_key', 'organization_id']);
  assert.equal(demo.output().trim().split('\n').length, 1);
  assert.match(demo.words(), /Órdenes al día/);
  assert.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600);

  const { data, meta } = await listOrders(demo);
  assert.ok(data.length >= 60, `${data.length} orders`);
  const { data: me } = (await demo.api('/v1/me')).body;
  assert.deepEqual(
    [me.organization_id, me.plan, me.marketplaces_connected],
    [demo.line.organization_id, 'intermedio', MARKETPLACES.length],
  );
  await eventually('a change of the simulated shop', async () => {
    const changes = await demo.api('/v1/orders', { updated_since: meta.as_of });
    return changes.body.data.length > 0;
  });

  await demo.stop('SIGTERM');
  assert.equal(demo.exitCode(), 0);
  assert.equal(demo.output().trim().split('\n').length, 1);
  await assertGone(demo.processes);
  former = demo;
});

test('a second run goes on from there with a new key, and survives kill -9', {}, async () => {
  const known = former.orders;
  const demo = await openDemo();
  assert.equal(demo.line.organization_id, former.line.organization_id);
  assert.notEqual(demo.line.api_key, former.line.api_key);
  const refused = await demo.api('/v1/me', {}, former.line.api_key);
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'api_key_revoked']);

  await listOrders(demo);
  const ids = demo.orders;
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    known.filter((id) => !ids.includes(id)),
    [],
  );

  const simulator = demo.processes.filter((pid) => pid !== postmaster());
  await demo.stop('SIGKILL');
  await assertGone(simulator);
});

test('after kill -9 it starts as if nothing had happened, and leaves nothing behind', {}, async () => {
  const demo = await openDemo();
  assert.equal(demo.line.organization_id, former.line.organization_id);
  assert.ok((await listOrders(demo)).data.length >= 60);

  await demo.stop('SIGINT');
  assert.equal(demo.exitCode(), 0);
  await assertGone(demo.processes);
});

test('its words say where a person signs in, where an agent connects and where it is disconnected', () => {
  const words = welcome({
    url: 'http://127.0.0.1:3000',
    publicUrl: 'http://localhost:3000',
    apiKey: 'tgs_clave',
    organization: { name: 'Tienda de demostración', plan: 'intermedio' } as Organization,
    look: { orders: 100, hasMore: true, asOf: '2026-11-16T18:00:00Z' },
    marketplaces: 10,
    entry: {
      email: 'demo@tianguis.example',
      password: 'tres-tazas',
      link: 'http://localhost:3000/demo/entrar?clave=uno',
    },
    mails: '/tmp/mail',
    newShop: {
      consent: 'Mercado Libre',
      typing: {
        name: 'Walmart',
        fields: [
          { label: 'Client ID', value: 'uno' },
          { label: 'Client Secret', value: 'dos' },
        ],
      },
    },
  });

  for (const reported of [
    '  http://localhost:3000/demo/entrar?clave=uno\n',
    ' demo@tianguis.example, contraseña tres-tazas\n',
    'Agentes (MCP)  http://localhost:3000/mcp\n',
    ' http://localhost:3000/cuenta/agentes\n',
    '  Mercado Libre  no escribes nada',
    '  Walmart        Client ID uno, Client Secret dos\n',
  ])
    assert.ok(words.includes(reported), reported);
});

test('the usual port, the next free one, or the one that was requested; of several demos at once, each its own', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const taken = (other.address() as { port: number }).port;

  const hold = async (wanted: string | null) => {
    const { port, holder } = await holdPort('127.0.0.1', wanted);
    t.after(() => holder.close());
    return port;
  };
  await assert.rejects(hold(String(taken)), /está ocupado/);
  await assert.rejects(hold('tres mil'), /PORT/);
  const ports = await Promise.all([null, null, null].map(hold));
  ports.push(await hold(null));
  assert.equal(new Set(ports).size, ports.length, `some are the same: ${ports}`);
  assert.ok(Math.min(...ports) >= USUAL_PORT);
});

interface Demo {
  readonly line: { url: string; api_key: string; organization_id: string };
  /** What it started, and the database. */
  readonly processes: readonly number[];
  /** What `listOrders` saw: marketplace and id. */
  orders: readonly string[];
  api(path: string, query?: Record<string, string>, key?: string): ReturnType<typeof callApi>;
  output(): string;
  words(): string;
  exitCode(): number | null;
  stop(signal: NodeJS.Signals): Promise<void>;
}

async function openDemo(): Promise<Demo> {
  const { child, output, progress, stop } = await startDemo(dataDir, ['--json']);
  started.push(child);
  const line = JSON.parse(output());
  return {
    line,
    processes: [...new Set([...childrenOf(child.pid as number), postmaster()])],
    orders: [],
    api: (path, query = {}, key = line.api_key) => callApi(line.url, path, query, { key }),
    output,
    words: progress,
    exitCode: () => child.exitCode,
    stop,
  };
}

async function listOrders(demo: Demo) {
  const data: { id: string; marketplace: string }[] = [];
  let cursor: string | null = null;
  let meta = { as_of: '' };
  do {
    const { body } = await demo.api('/v1/orders', { limit: '100', ...(cursor && { cursor }) });
    data.push(...body.data);
    meta = body.meta;
    cursor = body.pagination.next_cursor;
  } while (cursor);
  demo.orders = data.map(({ marketplace, id }) => `${marketplace} ${id}`);
  return { data, meta };
}

function postmaster(): number {
  return Number(
    readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n', 1)[0],
  );
}

function childrenOf(parent: number): number[] {
  const table = existsSync('/proc/self/stat') ? fromProc() : fromPs();
  return table.filter(([, itsParent]) => itsParent === parent).map(([pid]) => pid);
}

function fromProc(): [number, number][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      // The command in parentheses may hold anything; after it come the state and the parent.
      const [stat = ''] = [readOrNothing(`/proc/${name}/stat`)];
      return [Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
    });
}

function fromPs(): [number, number][] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function assertGone(processes: readonly number[]): Promise<void> {
  assert.ok(processes.length > 0);
  await eventually(`the end of ${processes}`, async () => processes.every((pid) => !isAlive(pid)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Dead, only not yet buried.
    return !/\) Z /.test(readOrNothing(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}
