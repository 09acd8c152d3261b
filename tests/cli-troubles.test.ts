import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Log } from '../src/platform/log.ts';
import { openApp } from './support/app.ts';
import { untickedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { logInto } from './support/log.ts';
import { query } from './support/market.ts';
import { type Ran, ranOf } from './support/ran.ts';

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));

// What the operator's commands say about problems, and about work that takes hours.

test('alerts lists the open ones, with --all the resolved too; unreadable lists rows set aside, and why', async (t) => {
  const { id, sql, run, cli } = await openCommands(t);
  const connection = crypto.randomUUID();
  await sql(
    `with connected as (
         insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
         values ($1, $2, 'woocommerce', 'tienda.mx', 'Tienda', 'ok', now(), now())),
       raised as (
         insert into alerts (organization_id, kind, subject, message, first_at, last_at, times, resolved_at)
         values ($1, 'stream', 'a:balances', 'Saldos: no.', '2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z', 2, null),
                ($1, 'connection', 'a', 'No responde.', '2026-11-19T01:00:00Z', '2026-11-19T01:00:00Z', 1, '2026-11-19T03:00:00Z'))
       insert into unreadable_items (organization_id, connection_id, stream, digest, external_id, reason, box, first_seen_at, last_seen_at)
       values ($1, $2, 'orders', 'd', '4500', 'items.0.sku: longer than 255 characters', '', '2026-11-20T01:00:00Z', '2026-11-20T04:00:00Z')`,
    [id, connection],
  );

  const open = await cli('alerts', '--organization', id);
  const all = await cli('alerts', '--organization', id, '--all');
  const aside = await cli('unreadable', '--organization', id);

  const [raised, resolved] = all.json.alerts;
  assert.deepEqual(raised, {
    kind: 'stream',
    subject: 'a:balances',
    message: 'Saldos: no.',
    first_at: '2026-11-20T01:00:00.000Z',
    last_at: '2026-11-20T02:00:00.000Z',
    count: 2,
    resolved_at: null,
  });
  assert.deepEqual(open.json.alerts, [raised]);
  assert.deepEqual(
    [resolved.kind, resolved.resolved_at],
    ['connection', '2026-11-19T03:00:00.000Z'],
  );
  assert.deepEqual(aside.json.items, [
    {
      marketplace: 'woocommerce',
      account_id: 'tienda.mx',
      stream: 'orders',
      external_id: '4500',
      path: 'items.0.sku',
      reason: 'longer than 255 characters',
      at: '2026-11-20T04:00:00.000Z',
    },
  ]);
  assert.match(
    (await run('alerts', '--organization', id)).stdout,
    /^Saldos: no\.\n {2}stream a:balances/,
  );
  assert.match(
    (await run('unreadable', '--organization', id)).stdout,
    /woocommerce tienda\.mx orders 4500: items\.0\.sku: longer than 255/,
  );
});

test('connections shows how far stored orders are rendered anew after an update', async (t) => {
  const { id, sql, run, cli } = await openCommands(t);
  const at = ['--organization', id] as const;
  const under = (visited: number, ended: string | null) =>
    sql(
      `insert into rerenderings (organization_id, representation, total, visited, started_at, due_at, ended_at)
       values ($1, 99, 400, $2, now(), now(), $3)
       on conflict (organization_id) do update set visited = excluded.visited, ended_at = excluded.ended_at`,
      [id, visited, ended],
    );
  await under(125, null);

  const [{ json }, { stdout }] = [await cli('connections', ...at), await run('connections', ...at)];

  assert.deepEqual(json.rerendering, { visited: 125, total: 400 });
  assert.match(
    stdout,
    /Órdenes guardadas que se vuelven a leer por la versión nueva: van 125 de 400\.\n$/,
  );
  await under(400, new Date().toISOString());
  assert.deepEqual(Object.keys((await cli('connections', ...at)).json), ['connections']);
});

test('credentials with a typing error are reported to their sender, and logged as a refusal', async (t) => {
  const lines: string[] = [];
  const { id, run } = await openCommands(t, logInto(lines));
  const typed = await fileOf(t, 'credentials.json', JSON.stringify({ user_id: 1, token: 'x' }));

  const args = [
    'connect',
    '--organization',
    id,
    '--marketplace',
    'mercado_libre',
    '--credentials',
    typed,
  ];
  const { code, stderr } = await run(...args);

  const jobs = lines.map((line) => JSON.parse(line)).filter(({ queue }) => queue === 'connect-now');
  assert.equal(code, 1);
  assert.match(stderr, /access_token/);
  assert.deepEqual(
    jobs.map(({ level, message, code: refusal }) => [level, message, refusal]),
    [['info', 'job refused', 'invalid_request']],
  );
});

test('on a terminal an import shows how far it is and how long it will take', {
  tags: ['slow'],
}, async (t) => {
  if (!hasTerminals()) return t.skip('there is no script(1) of Linux');
  const { id, runOnTerminal } = await openCommands(t);
  const orders = Array.from({ length: 3_000 }, (_, number) =>
    JSON.stringify(anImportedOrder(number)),
  );
  const path = await fileOf(t, 'orders.ndjson', orders.join('\n'));

  const { code, stdout } = await runOnTerminal('import-orders', '--organization', id, path);

  const shown = stdout.split('\r').map((line) => line.replaceAll('\x1b[K', '').trim());
  const bars = shown.filter((line) => /^█*░* \d/.test(line));
  const midway = bars.filter((line) => !/ 100 %/.test(line));
  assert.equal(code, 0, stdout);
  assert.ok(midway.length > 0, stdout);
  for (const bar of midway)
    assert.match(bar, /^█*░* \d{1,2} % · [\d,]+ órdenes · faltan \d+ (s|min)$/);
  assert.match(bars.at(-1) ?? '', /^█{30} 100 % · 3,000 órdenes$/);
});

/** An instance with an organisation of its own, and the commands beside it. */
async function openCommands(t: TestContext, log?: Log) {
  const instance = await openApp(t, {
    clock: untickedClock,
    ...(log && { log }),
  });
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  // Elsewhere than in the checkout, whose `.env` is not ours.
  const options = { cwd: tmpdir(), env: { PATH, NODE_COMPILE_CACHE, ...instance.env } };
  const command = [process.execPath, join(CHECKOUT, 'src/cli.ts')] as const;
  const run = (...args: string[]): Promise<Ran> => runHere(args, instance.env);
  return {
    id: instance.organization.id,
    sql: (text: string, values: readonly unknown[]) => query(instance, text, values),
    run,
    cli: (...args: string[]) => run(...args, '--json'),
    /** With a terminal, to which both outputs go. */
    runOnTerminal: (...args: string[]): Promise<Ran> => {
      const line = [...command, ...args].map((part) => `'${part}'`).join(' ');
      return ranOf(spawn('script', ['-qec', line, '/dev/null'], options));
    },
  };
}

function hasTerminals(): boolean {
  return process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
}

async function fileOf(t: TestContext, name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-commands-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

function anImportedOrder(number: number) {
  return {
    id: String(number),
    marketplace: 'walmart',
    status: 'paid',
    total: 100.5,
    currency: 'MXN',
    buyer_name: 'Ana R.',
    date_created: '2026-11-01T12:00:00Z',
    date_closed: null,
    items: [{ title: 'Taza', quantity: 1, unit_price: 100.5 }],
  };
}
