import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { recordOrders } from '../../src/features/orders/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { shiftedClock, turnedClock } from '../support/clock.ts';
import { runHere } from '../support/command.ts';
import { openEndpoint } from '../support/endpoint.ts';
import { workOff } from '../support/market.ts';
import { freshDatabase } from '../support/server.ts';
import { lastFirst } from './support/processes.ts';
import { reportFigure } from './support/profile.ts';

// The wall clock of the machine jumps by an hour, in either direction and back, while the service
// works. Its monotonic clock goes on, and the marketplace's clock is right.

const JUMPS = [0, 1, 0, -1, 0, 1, -1];
/** A connection is synchronised every five minutes. */
const PERIOD = { minutes: 6 };

test('a wall clock that jumps an hour either way delays no sync run, change or event, and gives no stamp twice', async (t) => {
  const own = lastFirst(t);
  const clock = turnedClock(systemClock.now().toString());
  let hours = 0;
  const app = await openApp(own, {
    clock: shiftedClock(clock, () => ({ hours })),
    database: await freshDatabase(),
    plan: 'experto',
  });
  const shop = await startMercadoLibre({ seed: 5, now: () => clock.now().epochMilliseconds });
  own.after(shop.close);
  const endpoint = await openEndpoint(own);
  await addEndpoint(app, endpoint.url);
  await app.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  await workOff(app);
  const stamps: string[] = [];
  let since = (await app.api('/v1/orders')).body.meta.as_of;

  for (const jump of JUMPS) {
    hours = jump;
    const { id } = shop.world.place();
    shop.world.pay(id);
    clock.advance(PERIOD);
    // The sync run, then the events of its changes.
    await workOff(app);
    await workOff(app);

    const { body } = await app.api('/v1/orders', { updated_since: since });
    const found = body.data.map((order: { id: string }) => order.id);
    assert.deepEqual(found, [id], `after a jump to ${jump} h`);
    stamps.push(body.data[0].last_updated);
    since = body.meta.as_of;
    const reported = endpoint.deliveries.map((delivery) => delivery.body.data.id);
    assert.ok(reported.includes(id), `no event after a jump to ${jump} h`);
  }

  assert.deepEqual(stamps, [...new Set(stamps)].sort(), 'stamps went back');
  const ids = endpoint.deliveries.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'an event was sent twice');
  reportFigure(
    t,
    `R9 clock: ${JUMPS.length} jumps of up to 2 h: each change recorded, listed and reported within ${PERIOD.minutes} minutes, no stamp twice or backwards`,
  );
});

test('what a process emitted while its clock was an hour ahead is delivered at once, by the others', async (t) => {
  const own = lastFirst(t);
  const clock = turnedClock(systemClock.now().toString());
  let hours = 1;
  const app = await openApp(own, {
    clock: shiftedClock(clock, () => ({ hours })),
    database: await freshDatabase(),
    plan: 'experto',
  });
  const endpoint = await openEndpoint(own);
  await addEndpoint(app, endpoint.url);
  const received = () => endpoint.deliveries.map(({ body }) => body.data.id);

  await change(app, 'first');
  hours = 0;
  // The clock of the test does not go on by itself, as the database's does.
  clock.advance({ minutes: 1 });
  await workOff(app);
  assert.deepEqual(received(), ['first']);

  // Its pause and its retry are by that clock, too.
  hours = 1;
  endpoint.answer = (response) => response.writeHead(502).end();
  await change(app, 'second');
  await workOff(app);
  assert.deepEqual(received(), ['first', 'second']);
  hours = 0;
  endpoint.answer = (response) => response.writeHead(204).end();
  await change(app, 'third');
  await workOff(app);
  assert.deepEqual(received(), ['first', 'second', 'third']);

  // A retry comes later by what the clock was ahead.
  clock.advance({ hours: 1, minutes: 1 });
  await workOff(app);
  assert.deepEqual(received(), ['first', 'second', 'third', 'second']);
});

async function change(app: TestApp, id: string): Promise<void> {
  const { orderListeners, announce, database } = app.app.exchange;
  await database
    .within(app.organization.id)
    .write((scope) => recordOrders(scope, [anOrder({ id })], [...orderListeners, announce]));
}

async function addEndpoint(app: TestApp, url: string): Promise<void> {
  const made = await runHere(
    [
      'create-webhook-endpoint',
      ...['--organization', app.organization.id, '--url', url],
      ...['--types', 'order.created', '--operator-trusted', '--json'],
    ],
    app.env,
  );
  assert.equal(made.code, 0, made.stdout);
}
