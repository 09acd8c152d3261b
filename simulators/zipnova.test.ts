import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { startZipnova, type ZipnovaOptions } from './zipnova/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const HOUR = 3_600_000;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

/** A simulator with a clock that is stopped until advanced, and a caller with a good token. */
async function open(t: TestContext, options: ZipnovaOptions = {}) {
  const clock = { at: NOON };
  const sim = await startZipnova({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);
  async function ask(path: string, body?: object, secret = sim.credentials().api_secret) {
    const { api_token } = sim.credentials();
    const answer = await fetch(`${sim.url}/v2${path}`, {
      method: body ? 'POST' : 'GET',
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${api_token}:${secret}`).toString('base64')}`,
      },
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text ? JSON.parse(text) : null) as Json,
    };
  }
  return { sim, clock, ask };
}

test('without the token and its secret there is nothing', async (t) => {
  const { ask } = await open(t);

  assert.equal((await ask('/accounts', undefined, 'otro')).status, 401);
  assert.deepEqual(
    (await ask('/accounts')).body.data.map(({ id }: Json) => id),
    [11_600],
  );
});

test('pages have twenty rows for any requested size, the newest first, and say how many there are', async (t) => {
  const { sim, clock, ask } = await open(t);
  for (let count = 0; count < 45; count++) {
    clock.at += 1_000;
    sim.parcels.make();
  }

  const pages = [];
  for (const page of [1, 2, 3, 4])
    pages.push((await ask(`/shipments?account_id=11600&per_page=100&page=${page}`)).body);

  assert.deepEqual(
    pages.map(({ data }) => data.length),
    [20, 20, 5, 0],
  );
  assert.deepEqual(
    [pages[0].meta.last_page, pages[0].meta.total, pages[0].meta.per_page],
    [3, 45, 20],
  );
  const made = pages.flatMap(({ data }) => data.map(({ created_at }: Json) => created_at));
  assert.deepEqual(made, made.toSorted().reverse());
});

test('parcels follow the orders of a shop as its time goes by', async (t) => {
  const { sim, clock, ask } = await open(t);
  const { id } = sim.world.place();
  assert.deepEqual((await ask('/shipments')).body.data, []);

  sim.world.pay(id);
  const [made] = (await ask('/shipments')).body.data;
  clock.at += HOUR;
  sim.world.ship(id);
  clock.at += 6 * HOUR;

  const detail = (await ask(`/shipments/${made.id}`)).body;
  assert.deepEqual([made.status, detail.status], ['new', 'in_transit']);
  assert.deepEqual(detail.channel_relations[0].order_id, id);
  const steps = (await ask(`/shipments/${made.id}/tracking?sort=oldest`)).body;
  assert.deepEqual(steps[0].status.code, 'new');
  assert.deepEqual(steps.at(-1).status.visible_name, 'En Camino');
});

test('more calls of one address than the limit get the time to wait', async (t) => {
  const { sim, clock, ask } = await open(t, { perMinute: 3 });
  const answers = [];
  for (let call = 0; call < 4; call++) answers.push(await ask('/accounts'));

  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')]),
    [
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ],
  );
  assert.equal(answers[3]?.headers.get('retry-after'), '60');
  clock.at += 60_000;
  assert.equal((await ask('/accounts')).status, 200);
  assert.equal(sim.busiest(), 4);
});

test('labels are real: a page of PDF, and the language of the printer', async (t) => {
  const { sim, ask } = await open(t);
  const { id } = sim.parcels.make();
  const read = async (format: string) =>
    Buffer.from(
      (await ask(`/shipments/${id}/documentation?what=label&format=${format}`)).body.body,
      'base64',
    );

  const pdf = (await read('pdf')).toString('latin1');
  assert.match(pdf, /^%PDF-1\.4\n/);
  assert.match(pdf, /\/Count 1 /);
  const xref = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
  assert.equal(pdf.slice(xref, xref + 4), 'xref');
  assert.match((await read('zpl')).toString(), /^\^XA.*\^XZ$/);
});

test('what is on its way cannot be cancelled, and that is said as 401', async (t) => {
  const { sim, ask } = await open(t);
  const [early, late] = [sim.parcels.make(), sim.parcels.make({ code: 'in_transit' })];

  assert.deepEqual((await ask(`/shipments/${early.id}/cancel`, {})).body.result, 'canceled');
  const refused = await ask(`/shipments/${late.id}/cancel`, {});
  assert.deepEqual([refused.status, refused.body.success], [401, false]);
  assert.equal((await ask('/accounts')).status, 200);
});

test('what a buyer sends back is a parcel of its own, and its webhooks say which way it goes', async (t) => {
  const { sim, clock, ask } = await open(t);
  const { id } = sim.world.place();
  for (const act of [
    sim.world.pay,
    sim.world.ship,
    sim.world.deliver,
    sim.world.sendBack,
    sim.world.takeBack,
  ]) {
    clock.at += 24 * HOUR;
    act(id);
  }

  const [back, out] = (await ask('/shipments')).body.data;
  assert.deepEqual([out.service_type, out.status], ['standard_delivery', 'delivered']);
  assert.deepEqual([back.service_type, back.status], ['return_origin', 'delivered']);
  assert.deepEqual([back.parent_shipment_id, back.external_id], [out.id, out.external_id]);
});

test('states are set for parcels of the own fleet only, and a failed delivery needs its reason', async (t) => {
  const { sim, ask } = await open(t);
  const [own, other] = [sim.parcels.make({ isOwnFleet: true }), sim.parcels.make()];
  const set = (id: number, body: object) => ask(`/shipments/${id}/tracking`, body);

  assert.equal((await set(other.id, { status: 'in_transit' })).status, 400);
  const refused = await set(own.id, { status: 'not_delivered' });
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [400, ['The substatus field is required.']],
  );
  assert.equal((await set(own.id, { status: 'lost' })).status, 400);
  assert.equal((await set(own.id, { status: 'in_transit' })).body.status, 'in_transit');
});

test('a webhook without a 200 is sent again every hour for twelve hours', async (t) => {
  const { sim, clock } = await open(t);
  const taken: Json[] = [];
  let status = 500;
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    taken.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  sim.webhooks.register(11_600, 'status', url);
  const parcel = sim.parcels.make();

  for (let hour = 0; hour <= 14; hour++) {
    await sim.webhooks.send();
    clock.at += HOUR;
  }

  assert.equal(taken.length, 13);
  assert.deepEqual(taken[0].data, {
    account_id: 11_600,
    shipment_id: parcel.id,
    external_id: parcel.externalId,
    status: 'Procesando',
    status_code: 'new',
    direction: 'forward',
  });
  status = 200;
  sim.parcels.move(parcel.id, 'delivered');
  await sim.webhooks.send();
  assert.equal(sim.webhooks.waiting(), 0);
});
