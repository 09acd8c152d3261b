import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findService } from '../src/carriers/registry.ts';
import { subscribe } from '../src/exchange/connect/subscribe.ts';
import type { ExchangeParts } from '../src/exchange/parts.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { traceShipments } from '../src/exchange/sync/trace-shipments.ts';
import { renewBeforeExpiry } from '../src/exchange/wire/renew-early.ts';
import { fail } from '../src/platform/failure.ts';
import { openApp, type TestApp } from './support/app.ts';
import { alertsOf, connectionsOf, query } from './support/market.ts';
import { openSender } from './support/paquetexpress.ts';
import { altering } from './support/stand-network.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { STAND_OF } from './support/stands.ts';

// Whatever a job of a connection throws is written at the connection, with an alert, and heals with
// the next success.

const OURS =
  'Tuvimos un problema de nuestro lado con tu cuenta de {name}. Ya lo estamos revisando; no tienes que hacer nada.';
const BUSY =
  'Tuvimos una interrupción de nuestro lado. Continuaremos automáticamente en unos minutos.';

// biome-ignore lint/suspicious/noExplicitAny: rows of a marketplace, altered on their way
type Row = any;

let instance: TestApp;
const closers: (() => unknown)[] = [];
before(async () => {
  instance = await openApp({ after: (close) => void closers.push(close as () => unknown) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

for (const [job, marketplace, alert, run] of [
  ['a sync run', 'woocommerce', 'connection', (stage, parts) => stage.tick(parts)],
  ['a push', 'woocommerce', 'push', (stage, parts) => stage.hint(anOrderOf(stage), parts)],
  [
    'a renewal',
    'mercado_libre',
    'renewal',
    (stage, parts) => renewBeforeExpiry(parts, stage.organizationId, stage.connectionId),
  ],
  [
    'a subscription',
    'woocommerce',
    'subscription',
    (stage, parts) => subscribe(parts, stage.organizationId, stage.connectionId),
  ],
] as const satisfies readonly [
  string,
  string,
  string,
  (stage: Stage, parts: ExchangeParts) => Promise<void>,
][]) {
  test(`${job} that fails by our own fault says so at the connection, and heals`, async (t) => {
    const stage = await openStage(instance, STAND_OF[marketplace], { seed: job, orders: 3 });
    t.after(stage.shop.close);
    await stage.reconcile();

    await assert.rejects(run(stage, failing(stage.parts, new Error('kaput \0 \ud800'))), /kaput/);

    const broken = await stage.connection();
    const ours = OURS.replace('{name}', findService(marketplace)?.name ?? '');
    assert.deepEqual([broken.state, broken.stateMessage], ['error', ours]);
    assert.deepEqual(
      (await openAlerts(stage)).map(({ kind, message }) => [kind, message]),
      [[alert, ours]],
    );

    await run(stage, stage.parts);
    assert.equal((await stage.connection()).state, 'ok');
    assert.deepEqual(await openAlerts(stage), []);
  });

  test(`${job} that the database could not serve only delays the connection`, async (t) => {
    const stage = await openStage(instance, STAND_OF[marketplace], {
      seed: `${job} busy`,
      orders: 3,
    });
    t.after(stage.shop.close);
    await stage.reconcile();

    await assert.rejects(run(stage, failing(stage.parts, fail('service_unavailable'))));

    const busy = await stage.connection();
    assert.deepEqual([busy.state, busy.stateMessage], ['delayed', BUSY]);
    assert.deepEqual(await openAlerts(stage), []);
    await run(stage, stage.parts);
    assert.equal((await stage.connection()).state, 'ok');
  });
}

test('what the database refuses of a whole page is written at its stream', async (t) => {
  const stage = await openStage(instance, STAND_OF.woocommerce, { seed: 'page', orders: 3 });
  t.after(stage.shop.close);
  await query(
    instance,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'kaput'; end $$`,
  );
  await query(
    instance,
    'create trigger refuse before insert on orders for each row execute function refuse()',
  );

  await assert.rejects(stage.tick(), /kaput/);

  const [stream] = await query(
    instance,
    'select last_error from streams where connection_id = $1',
    [stage.connectionId],
  );
  assert.equal(stream?.last_error, 'kaput');
  assert.equal((await stage.connection()).state, 'error');
  assert.equal((await openAlerts(stage)).length, 1);

  await query(instance, 'drop trigger refuse on orders');
  await stage.reconcile();
  const [healed] = await query(
    instance,
    'select last_error from streams where connection_id = $1',
    [stage.connectionId],
  );
  assert.equal(healed?.last_error, null);
  assert.deepEqual(await openAlerts(stage), []);
  await stage.holdToAccount();
});

test('a trace that fails by our own fault says so at the connection, and heals', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  const [connection] = await connectionsOf(instance, organization.id);
  const trace = (parts: ExchangeParts) =>
    traceShipments(parts, organization.id, String(connection?.id));
  const parts = instance.app.exchange;
  carrier.document();
  await syncOrganization(parts, {
    organizationId: organization.id,
    service: null,
    stream: 'shipments',
  });
  const alerts = async () => (await alertsOf(instance, organization.id)).map(({ kind }) => kind);
  const state = async () => (await connectionsOf(instance, organization.id))[0]?.state;

  await assert.rejects(trace(failing(parts, new Error('kaput'))), /kaput/);
  assert.deepEqual([await alerts(), await state()], [['tracing'], 'error']);

  await trace(parts);
  assert.deepEqual([await alerts(), await state()], [[], 'ok']);
});

test('a page of which no row can be read raises an alert, which a page that can be read resolves', async (t) => {
  const stage = await openStage(instance, STAND_OF.woocommerce, {
    seed: 'unreadable page',
    orders: 6,
  });
  t.after(stage.shop.close);
  const garble = (most: number) =>
    altering(stage.parts.network, /\/orders\?/, (rows: Row[]) => {
      for (const row of rows.slice(0, most)) row.total = { mucho: true };
    });

  await stage.tick({ ...stage.parts, network: garble(100) });
  const [alert, ...others] = await openAlerts(stage);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [alert?.kind, alert?.subject, alert?.message],
    [
      'unreadable',
      `${stage.connectionId}:orders`,
      'Órdenes: WooCommerce nos mandó datos y no pudimos leer ninguno. Los guardamos aparte y los volvemos a pedir solos; ya lo estamos revisando.',
    ],
  );
  assert.deepEqual(await stage.orders(), []);

  stage.clock.advance({ hours: 2 });
  for (const order of stage.shop.world.orders()) stage.shop.world.refund(order.id, '1.00');
  await stage.tick({ ...stage.parts, network: garble(5) });
  assert.deepEqual(await openAlerts(stage), [], 'one of six can be read');

  await stage.reconcile();
  await stage.holdToAccount();
  assert.deepEqual(await stage.unreadable(), []);
});

/** Nothing gets through: every request meets this. */
function failing(parts: ExchangeParts, error: Error): ExchangeParts {
  return { ...parts, network: { ...parts.network, send: () => Promise.reject(error) } };
}

function anOrderOf({ shop }: Stage) {
  const [order] = shop.world.orders();
  assert.ok(order);
  return order;
}

function openAlerts({ organizationId }: Stage) {
  return alertsOf(instance, organizationId);
}
