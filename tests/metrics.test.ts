import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startWooCommerce } from '../simulators/woocommerce/index.ts';
import { SERVICES } from '../src/carriers/registry.ts';
import { schedule } from '../src/features/schedules/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { newId } from '../src/platform/ids.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { openEndpoint } from './support/endpoint.ts';
import { connectAccount, openMarket, query, sell, workOff } from './support/market.ts';
import { openParcels } from './support/parcels.ts';
import { freshDatabase } from './support/server.ts';

// GET /metrics, for Prometheus.

const READ = { METRICS_PORT: '0' };

test('metrics are on a listener of their own, and not at the public address', async (t) => {
  const own = await openApp(t, { env: READ });

  const scraped = await fetch(metricsUrl(own));
  assert.equal(scraped.status, 200);
  assert.match(String(scraped.headers.get('content-type')), /^text\/plain; version=0\.0\.4/);
  assert.match(await scraped.text(), /^# HELP process_resident_memory_bytes /m);
  assert.equal((await fetch(new URL('/v1/orders', metricsUrl(own)))).status, 404);
  assert.equal((await fetch(metricsUrl(own), { method: 'POST' })).status, 405);
  assert.equal((await own.api('/metrics')).status, 404);
});

test('without METRICS_PORT there is no listener', async (t) => {
  assert.equal((await openApp(t)).app.metricsUrl, null);
});

test('requests are counted by surface and status, and the quota by what it admitted', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, { env: READ });
  await own.setPlan('experto', 500);
  for (let request = 0; request < 500; request++) await own.api('/v1/me');
  assert.equal((await own.api('/v1/orders')).status, 429);
  await own.api('/v1/no-such-thing', {}, { key: null });
  await own.api('/nowhere', {}, { key: null });

  const at = await scrape(own);

  const requests = 'tianguis_http_request_duration_seconds_count';
  assert.equal(at(requests, { surface: '/v1', status: '200' }), 500);
  assert.equal(at(requests, { surface: '/v1', status: '429' }), 1);
  assert.equal(at(requests, { surface: 'none', status: '404' }), 1);
  assert.equal(at('tianguis_quota_requests_total', { admitted: 'yes' }), 500);
  assert.equal(at('tianguis_quota_requests_total', { admitted: 'no' }), 1);
  assert.equal(at('tianguis_quota_store_up', {}), 1);
});

test('sync runs: calls, jobs, the delay of a change, states of connections and waits of the database', {
  tags: ['slow'],
}, async (t) => {
  const clock = turnedClock();
  const market = await openMarket(t, clock);
  const env = { ...market.env, ...READ };
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  const seller = market.newSeller();
  await connectAccount(own, own.organization.id, market.credentials(seller.id));
  await workOff(own);
  const before = await scrape(own);
  assert.equal(before('tianguis_sync_delay_seconds_count', { service: 'mercado_libre' }), null);

  sell(seller);
  clock.advance({ minutes: 6 });
  await workOff(own);

  const at = await scrape(own);
  const service = 'mercado_libre';
  const called = at('tianguis_call_duration_seconds_count', { service, outcome: '200' });
  assert.ok(called && called > 2, `${called} calls`);
  assert.equal(at('tianguis_sync_delay_seconds_count', { service }), 1);
  const delay = at('tianguis_sync_delay_seconds_sum', { service });
  assert.ok(delay && delay >= 360 && delay < 420, `${delay} s`);
  assert.ok(at('tianguis_job_duration_seconds_count', { queue: 'sync', outcome: 'done' }));
  assert.equal(at('tianguis_connections', { service, state: 'ok' }), 1);
  assert.equal(at('tianguis_queue_jobs', { queue: 'sync', state: 'ready' }), 0);
  assert.ok(at('tianguis_database_wait_seconds_count', { pool: 'readers' }));
  assert.ok(at('tianguis_database_wait_seconds_count', { pool: 'writers' }));
  assert.equal(
    typeof at('tianguis_database_connections', { pool: 'writers', state: 'busy' }),
    'number',
  );
  assert.equal(at('tianguis_notices_up', {}), 1);
});

test('what is due and not claimed is reported with its age', async (t) => {
  const own = await openApp(t, { env: READ, database: await freshDatabase() });
  await workOff(own);
  own.clock.advance({ hours: 2 });

  const at = await scrape(own);

  assert.equal(at('tianguis_schedules_overdue', { task: 'housekeeping' }), 1);
  assert.equal(at('tianguis_schedules_overdue_seconds', { task: 'housekeeping' }), 3_600);
});

test('the due time of a reconciliation, which the tick does not claim, is not reported', async (t) => {
  const own = await openApp(t, { env: READ, database: await freshDatabase() });
  await workOff(own);
  await own.app.database
    .within(own.organization.id)
    .write((scope) => schedule(scope, 'sweep', `${newId()}:shipments`, 21_600, scope.clock.now()));
  own.clock.advance({ hours: 2 });

  const at = await scrape(own);

  assert.equal(at('tianguis_schedules_overdue', { task: 'sweep' }), null);
  assert.equal(at('tianguis_schedules_overdue', { task: 'housekeeping' }), 1);
});

test('a host that fails shows its circuit breaker, by service', async (t) => {
  const clock = turnedClock();
  const shop = await startWooCommerce({ now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  const own = await openApp(t, { clock, env: READ, database: await freshDatabase() });
  await own.connect('woocommerce', { url: shop.url, credentials: shop.credentials() });
  shop.faults.next({ kind: 'server_error', times: 10_000 });

  await workOff(own);

  const at = await scrape(own);
  const service = 'woocommerce';
  assert.equal(at('tianguis_breakers_open', { service, scope: 'connection' }), 1);
  assert.ok(at('tianguis_call_duration_seconds_count', { service, outcome: '500' }));
});

test('deliveries to customers are counted by outcome', { tags: ['slow'] }, async (t) => {
  const clock = turnedClock(systemClock.now().toString());
  const own = await openApp(t, {
    clock,
    plan: 'experto',
    env: READ,
    database: await freshDatabase(),
  });
  const endpoint = await openEndpoint(t);
  const { id } = own.organization;
  await runHere(
    ['create-webhook-endpoint', '--organization', id, '--url', endpoint.url, '--operator-trusted'],
    own.env,
  );
  const change = async (order: string) => {
    const { orderListeners, announce } = own.app.exchange;
    await own.app.database.within(id).write(async (scope) => {
      const { recordOrders } = await import('../src/features/orders/index.ts');
      await recordOrders(scope, [anOrder({ id: order })], [...orderListeners, announce]);
    });
    await workOff(own);
  };
  await change('1');
  endpoint.answer = (response) => response.writeHead(500).end();
  await change('2');

  const at = await scrape(own);
  const deliveries = 'tianguis_webhook_delivery_duration_seconds_count';
  assert.equal(at(deliveries, { outcome: 'delivered' }), 1);
  assert.equal(at(deliveries, { outcome: 'refused' }), 1);
});

test('the three figures of a carrier’s balance are there as sums over all accounts', async (t) => {
  const { own, connect } = await openParcels(t, { env: READ });
  await connect();

  const at = await scrape(own);

  const [row] = await query(own, 'select balance, available, credit_limit from balances');
  const labels = { service: 'zipnova', currency: 'MXN' };
  for (const field of ['balance', 'available', 'credit_limit'])
    assert.equal(at('tianguis_balance', { ...labels, field }), Number(row?.[field]), field);
  assert.equal(at('tianguis_balance_least_available', labels), Number(row?.available));
});

test('a carrier’s account without balance is an alert, and a marketplace’s negative balance is none', async (t) => {
  const { own, connect } = await openParcels(t, { env: READ });
  await connect();
  await query(own, 'update balances set available = 0');
  await query(
    own,
    `insert into balances (organization_id, service, account_id, connection_id, purse, currency, available, releases, as_of, is_derived, changed_at)
     select organization_id, 'mercado_libre', '1', connection_id, 'account', currency, -5, '[]', as_of, false, changed_at from balances`,
  );

  const at = await scrape(own);

  const least = 'tianguis_balance_least_available';
  assert.equal(at(least, { service: 'zipnova', currency: 'MXN' }), 0);
  const negative = { service: 'mercado_libre', currency: 'MXN', field: 'available' };
  assert.equal(at('tianguis_balance', negative), -5);
  assert.equal(at(least, { service: 'mercado_libre', currency: 'MXN' }), null);
  const rules = readFileSync(new URL('../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  assert.match(
    rules,
    /expr: min by \(service, currency\) \(tianguis_balance_least_available\) <= 0/,
  );
});

test('a figure that cannot be read is left out and counted, and the others are there', async (t) => {
  const own = await openApp(t, { env: READ, database: await freshDatabase() });
  await own.app.database.write((handle) =>
    handle.sql('alter table connections rename to gone', []),
  );

  await scrape(own);
  const at = await scrape(own);

  assert.equal(at('tianguis_connections', { service: 'mercado_libre', state: 'ok' }), null);
  // Of the scrape before: counters are rendered first.
  assert.equal(at('tianguis_metrics_unread_total', { figure: 'tianguis_connections' }), 1);
  assert.equal(at('tianguis_queue_jobs', { queue: 'sync', state: 'ready' }), 0);
});

test('every label has a word of ours, never an organisation, an account or a host', async (t) => {
  const { own, connect } = await openParcels(t, { env: READ });
  await connect();
  await own.api('/v1/orders');

  const values = [...(await textOf(own)).matchAll(/\w+="([^"]*)"/g)].map(
    ([, value]) => value ?? '',
  );

  const numbers = /^(\+Inf|[\d.]+|\d\d\d)$/;
  const words = /^(v\d+\.\d+\.\d+|none|\/|\/?[a-zA-Z.][\w./-]*)$/;
  const odd = values.filter((value) => !numbers.test(value) && !words.test(value));
  assert.deepEqual(odd, []);
  const { id, name } = own.organization;
  const known = [id, name, '127.0.0.1', 'localhost', own.key];
  assert.deepEqual(
    values.filter((value) => known.some((one) => value.includes(one))),
    [],
  );
  const services = [...(await textOf(own)).matchAll(/service="([^"]*)"/g)].map(([, one]) => one);
  assert.deepEqual(
    services.filter((one) => !(SERVICES as readonly string[]).includes(String(one))),
    [],
  );
});

test('the dashboard and the alert rules ask for metrics that exist', async (t) => {
  const own = await openApp(t, { env: READ });
  const text = await textOf(own);
  const known = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [String(name)],
    ),
  );

  for (const file of ['deploy/prometheus/alerts.yml', 'deploy/grafana/tianguis.json']) {
    const asked =
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').match(
        /\b(tianguis|nodejs|process)_[a-z0-9_]+/g,
      ) ?? [];
    assert.ok(asked.length > 10, file);
    assert.deepEqual(
      [...new Set(asked)].filter((name) => !known.has(name)),
      [],
      file,
    );
  }
});

test('no value in the YAML of deploy/ holds a colon without quotes, which no YAML reader takes', () => {
  const folder = new URL('../deploy/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yml'),
  );
  const broken = files.flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => /^[\s-]*\w+: +[^\s'"|>{[#][^#]*: /.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );

  assert.ok(files.length >= 3);
  assert.deepEqual(broken, []);
});

test('each alert leads to a section of the runbook', () => {
  const rules = readFileSync(new URL('../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  const page = readFileSync(new URL('../docs/runbook.md', import.meta.url), 'utf8');
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll('.', '').replaceAll(' ', '-'),
  );
  const asked = [...rules.matchAll(/runbook: docs\/runbook\.md#(.+)$/gm)].map(
    ([, one]) => one ?? '',
  );

  assert.equal(asked.length, [...rules.matchAll(/- alert: /g)].length);
  assert.deepEqual(
    asked.filter((one) => !sections.includes(one)),
    [],
  );
});

function metricsUrl(own: TestApp): string {
  const { metricsUrl: url } = own.app;
  assert.ok(url);
  return url;
}

async function textOf(own: TestApp): Promise<string> {
  return (await fetch(metricsUrl(own))).text();
}

type Labels = Readonly<Record<string, string>>;

/** Looks up a sample by its name and exactly these labels; null = there is none. */
async function scrape(own: TestApp): Promise<(name: string, labels: Labels) => number | null> {
  const samples = new Map(
    (await textOf(own)).split('\n').flatMap((line) => {
      const [, name, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return name ? [[keyOf(name, inside.split(',')), Number(value)] as const] : [];
    }),
  );
  return (name, labels) => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return samples.get(keyOf(name, pairs)) ?? null;
  };
}

function keyOf(name: string, pairs: readonly string[]): string {
  return `${name} ${pairs
    .filter((pair) => pair !== '')
    .toSorted()
    .join(',')}`;
}
