import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import { askForAddresses } from '../src/exchange/connect/event-address.ts';
import { runStream } from '../src/exchange/sync/run-stream.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { openConnection } from '../src/exchange/wire/open-connection.ts';
import { connectionById } from '../src/features/connections/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { eventually, lastFirst } from './reliability/support/processes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { alertsOf, connectionsOf, query, retryLater, workOff } from './support/market.ts';
import {
  addressOf,
  aGuide,
  connectCarrier,
  emittedEvents,
  eventsAt,
  openSender,
  type PushAnswer,
  parcelsAt,
  push,
  receiptsAt,
  type Sender,
  settled,
  startCarrier,
} from './support/paquetexpress.ts';
import { freshDatabase } from './support/server.ts';

// Paquetexpress: its webhooks are stored before they are answered and never counted twice;
// what we ask it only fills the gaps.

const HOUR = 3_600_000;
const instance = await openApp(WHOLE_FILE);
const { clock } = instance;
const now = () => clock.now().epochMilliseconds;

test('connecting reads what was documented since January, with its history and the carrier’s own fields', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  const old = carrier.document({ at: Date.parse('2025-12-30T18:00:00Z') });
  const delivered = carrier.document({
    at: Date.parse('2026-02-03T18:00:00Z'),
    reference: 'ORD-1',
  });
  carrier.happen(delivered.tracking, 'HCA', Date.parse('2026-02-03T23:00:00Z'));
  carrier.happen(delivered.tracking, 'HDC', Date.parse('2026-02-05T20:00:00Z'));
  const fresh = carrier.document();

  await sync(organization.id);

  const parcels = await parcelsAt(instance, organization.id);
  assert.equal(parcels[old.tracking], undefined);
  assert.deepEqual(parcels[delivered.tracking], {
    state: 'HDC',
    category: 'ENTREGADO',
    final: true,
    delivered: true,
  });
  assert.equal(parcels[fresh.tracking]?.category, 'PREPARACION');
  assert.deepEqual(await eventsAt(instance, organization.id), [
    'SWB tracking_history',
    'HCA tracking_history',
    'HDC tracking_history',
    'SWB tracking_history',
  ]);
  const [details] = await query(
    instance,
    `select guide_number_formatted, status_code, status_category, total_amount, weight_kg, package_count, reference,
            destination_zip, promised_at, delivered_at, documented_at
       from paquetexpress_shipments where organization_id = $1 and tracking_number = $2`,
    [organization.id, delivered.tracking],
  );
  assert.equal(details?.guide_number_formatted, delivered.guide);
  assert.deepEqual(
    [details?.status_code, details?.status_category, details?.reference, details?.destination_zip],
    ['HDC', 'ENTREGADO', 'ORD-1', '72000'],
  );
  assert.deepEqual(
    [details?.total_amount, details?.weight_kg, details?.package_count],
    [delivered.amount, '12', 1],
  );
  assert.equal(String(details?.delivered_at), '2026-02-05T20:00:00Z');
  assert.deepEqual(await emittedEvents(instance, organization.id), [], 'a first import is no news');
});

test('reading again what did not change writes nothing', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  carrier.document();
  await sync(organization.id);
  const rows = () =>
    query(
      instance,
      'select xmin::text, updated_at::text from shipments where organization_id = $1',
      [organization.id],
    );
  const before = await rows();

  clock.advance({ hours: 1 });
  const [report] = await sync(organization.id);

  assert.equal(report?.changed, 0);
  assert.deepEqual(await rows(), before);
});

test('a session ends after half a minute: the next batch opens another one, and no path holds it in the log', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  carrier.document();
  const logins = () => carrier.calls(/loginv1/);
  await sync(organization.id);
  const before = logins();

  clock.advance({ minutes: 61 });
  await sync(organization.id);

  assert.equal(logins(), before + 1);
  const [connection] = await connectionsOf(instance, organization.id);
  assert.equal(connection?.state, 'ok');
});

test('a token that was taken back asks the seller to connect again', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  carrier.document();
  carrier.revoke();

  await sync(organization.id);
  const [connection] = await connectionsOf(instance, organization.id);
  await retryLater(instance, organization.id, String(connection?.id));

  const [asked] = await connectionsOf(instance, organization.id);
  assert.deepEqual([connection?.state, asked?.state], ['delayed', 'reauth_required']);
});

test('a webhook of a known parcel is linked, moves it, and is sent to customers once', async (t) => {
  const sender = await withParcel(t);
  const { organization, tracking } = sender;

  const answer = await pushEvent(sender, 'TRN');
  await settled(instance);

  assert.equal(answer.status, 200);
  assert.deepEqual(
    [answer.body.received, answer.body.duplicate, answer.body.linked],
    [true, false, true],
  );
  assert.match(answer.body.meta.request_id, /^req_/);
  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'TRN');
  assert.deepEqual(await emittedEvents(instance, organization.id), [
    'shipment.status_changed EN_TRANSITO',
  ]);
  assert.deepEqual(await receiptsAt(instance, organization.id), ['TRN linked']);
});

test('the same webhook again is a duplicate, whatever else it says by then, and nothing follows from it', async (t) => {
  const sender = await withParcel(t);
  const at = now();
  await pushEvent(sender, 'TRN', at);
  await settled(instance);

  const again = await pushEvent(sender, 'TRN', at, { sucursal: 'Otra' });
  const iso = await pushEvent(sender, 'TRN', new Date(at).toISOString());
  const other = await pushEvent(sender, 'TRN', at + 1);
  await settled(instance);

  assert.deepEqual([again.status, again.body.duplicate, again.body.linked], [200, true, true]);
  assert.equal(iso.body.duplicate, true);
  assert.equal(other.body.duplicate, false, 'another instant is another event');
  assert.deepEqual(await emittedEvents(instance, sender.organization.id), [
    'shipment.status_changed EN_TRANSITO',
  ]);
  assert.equal((await receiptsAt(instance, sender.organization.id)).length, 4);
});

test('a byte order mark before a webhook is no part of it', async (t) => {
  const { address, tracking } = await withParcel(t);
  const event = JSON.stringify({ rastreo: tracking, eventoId: 'TRN', fechahora: now() });

  const marked = await push(address, `\ufeff${event}`);
  const again = await push(address, event);

  assert.deepEqual([marked.status, marked.body.linked], [200, true]);
  assert.equal(again.body.duplicate, true);
});

test('webhooks that come at the same time are kept each once, with a receipt for every one', async (t) => {
  const sender = await withParcel(t);
  const at = now();

  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, number) => pushEvent(sender, 'TRN', at + (number % 3))),
  );
  await settled(instance);

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(answers.filter(({ body }) => !body.duplicate).length, 3);
  assert.equal((await receiptsAt(instance, sender.organization.id)).length, 24);
  assert.deepEqual(await emittedEvents(instance, sender.organization.id), [
    'shipment.status_changed EN_TRANSITO',
  ]);
});

test('a webhook of an unknown parcel is kept as an orphan, and linked by the next hourly sync run', async (t) => {
  const sender = await openSender(instance, t);
  const { organization, carrier } = sender;
  await sync(organization.id);
  const { tracking } = carrier.document();

  const answer = await push(sender.address, {
    rastreo: tracking,
    eventoId: 'TRN',
    fechahora: now(),
  });
  const orphans = await eventsAt(instance, organization.id);
  clock.advance({ hours: 1 });
  await sync(organization.id);

  assert.deepEqual([answer.status, answer.body.linked], [200, false]);
  assert.deepEqual(orphans, ['TRN webhook orphan']);
  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'TRN');
  assert.ok(
    (await eventsAt(instance, organization.id)).every((event) => !event.endsWith('orphan')),
  );
  assert.deepEqual(
    await receiptsAt(instance, organization.id),
    ['TRN'],
    'it was not linked when it came',
  );
});

test('an event that comes late never moves a parcel back', async (t) => {
  const sender = await withParcel(t);
  await pushEvent(sender, 'ENT', now());
  await settled(instance);

  const late = await pushEvent(sender, 'TRN', now() - HOUR);
  await settled(instance);

  assert.equal(late.body.duplicate, false);
  assert.equal((await parcelsAt(instance, sender.organization.id))[sender.tracking]?.state, 'ENT');
});

test('a shipment that the database refuses to move holds up no other, and an alert is raised', async (t) => {
  const { organization, carrier, address } = await openSender(instance, t);
  const [refused, other] = [carrier.document(), carrier.document()];
  await sync(organization.id);
  const text = `create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.tracking_number = '${refused.tracking}' then raise exception using errcode = '22023'; end if;
      return new;
    end $$`;
  await query(instance, text);
  await query(
    instance,
    'create trigger refuse_one before update on shipments for each row execute function refuse_one()',
  );
  t.after(() => query(instance, 'drop function refuse_one cascade'));
  const reported = ({ tracking }: { tracking: string }) => ({
    rastreo: tracking,
    eventoId: 'HCA',
    fechahora: now(),
  });

  assert.equal(
    (await push(address, { eventos: [reported(refused), reported(other)] })).status,
    200,
  );
  await settled(instance);

  const parcels = await parcelsAt(instance, organization.id);
  assert.equal(parcels[other.tracking]?.state, 'HCA', 'the other one is held up');
  assert.deepEqual(
    (await alertsOf(instance, organization.id)).map(({ kind, message }) => [kind, message]),
    [
      [
        'shipment_not_settled',
        `No pudimos actualizar el envío ${refused.tracking} con lo último que avisó Paquetexpress. Ya lo estamos revisando.`,
      ],
    ],
  );
  assert.deepEqual(await query(instance, 'select from shipments_to_settle'), []);
});

test('of one instant the event further along counts, whichever came first', async (t) => {
  for (const order of [
    ['EAD', 'ENT'],
    ['ENT', 'EAD'],
  ]) {
    const sender = await withParcel(t);
    const at = now();
    for (const code of order) await pushEvent(sender, code, at);
    await settled(instance);

    assert.equal(
      (await parcelsAt(instance, sender.organization.id))[sender.tracking]?.state,
      'ENT',
    );
  }
});

test('a delivery that is reverted is none, and its order shows it', async (t) => {
  const sender = await withParcel(t, 'ORD-REV');
  await instance.record([anOrder({ id: 'ORD-REV' })], sender.organization.id);
  const shipping = async () => {
    const key = await keyOf(sender);
    return (await instance.api('/v1/orders/ORD-REV', {}, { key })).body.data.shipping;
  };
  await pushEvent(sender, 'HDC', now());
  await settled(instance);
  const delivered = await shipping();

  await pushEvent(sender, 'HCE', now() + 1_000);
  await settled(instance);

  assert.equal(delivered?.status, 'ENTREGADO');
  assert.notEqual(delivered.delivered_at, null);
  const parcel = (await parcelsAt(instance, sender.organization.id))[sender.tracking];
  assert.deepEqual(parcel, {
    state: 'HCE',
    category: 'INCIDENCIA',
    final: false,
    delivered: false,
  });
  assert.deepEqual(
    [(await shipping()).status, (await shipping()).delivered_at],
    ['INCIDENCIA', null],
  );
});

test('a parcel that was sent back is delivered to its sender, and its order was not delivered', async (t) => {
  const sender = await withParcel(t, 'ORD-BACK');
  await instance.record([anOrder({ id: 'ORD-BACK' })], sender.organization.id);
  const codes = ['HCM', 'TRN', 'HDR', 'RGR', 'TRN', 'WHU', 'HTC', 'HDC'];
  for (const [at, code] of codes.entries()) await pushEvent(sender, code, now() + at * 1_000);
  await settled(instance);

  const parcel = (await parcelsAt(instance, sender.organization.id))[sender.tracking];
  assert.deepEqual(parcel, { state: 'HDC', category: 'DEVOLUCION', final: true, delivered: false });
  const key = await keyOf(sender);
  const { shipping } = (await instance.api('/v1/orders/ORD-BACK', {}, { key })).body.data;
  assert.deepEqual([shipping.status, shipping.delivered_at], ['DEVOLUCION', null]);
});

test('an unknown code is shown as it is, the category stays, and an alert is raised', async (t) => {
  const sender = await withParcel(t);
  await pushEvent(sender, 'TRN', now());
  await pushEvent(sender, 'ZZZ', now() + 1_000);
  await settled(instance);

  const parcel = (await parcelsAt(instance, sender.organization.id))[sender.tracking];
  assert.deepEqual([parcel?.state, parcel?.category], ['ZZZ', 'EN_TRANSITO']);
  const alerts = await alertsOf(instance, sender.organization.id);
  assert.match(String(alerts[0]?.message), /«ZZZ»/);
});

test('an event, its receipt and the mark that something follows from it are one transaction', async (t) => {
  const sender = await withParcel(t);

  assert.equal((await pushEvent(sender, 'TRN')).status, 200);

  const transactions = await query(
    instance,
    `select xmin::text from shipment_events where organization_id = $1 and source = 'webhook'
      union all select xmin::text from carrier_receipts where organization_id = $1
      union all select xmin::text from shipments_to_settle where organization_id = $1`,
    [sender.organization.id],
  );
  assert.equal(transactions.length, 3);
  assert.equal(
    new Set(transactions.map(({ xmin }) => xmin)).size,
    1,
    'they are several transactions',
  );
});

test('several events in one webhook are taken together, or refused together', async (t) => {
  const sender = await withParcel(t);
  const event = (eventoId: string, at: number) => ({
    rastreo: sender.tracking,
    eventoId,
    fechahora: at,
  });

  const refused = await push(sender.address, {
    eventos: [event('TRN', now()), { eventoId: 'EAD' }],
  });
  const none = await push(sender.address, { eventos: [] });
  const taken = await push(sender.address, {
    eventos: [event('HCA', now()), event('TRN', now() + 1)],
  });
  await settled(instance);

  assert.equal(refused.status, 400);
  assert.equal(refused.body.error.param, 'eventos.1.rastreo');
  assert.equal(none.status, 400);
  assert.deepEqual([taken.status, taken.body.duplicate, taken.body.linked], [200, false, true]);
  assert.deepEqual(await receiptsAt(instance, sender.organization.id), [
    'HCA linked',
    'TRN linked',
  ]);
  assert.equal((await parcelsAt(instance, sender.organization.id))[sender.tracking]?.state, 'TRN');
});

for (const [what, body, field] of [
  ['that is not JSON', '{"rastreo":', '(whole)'],
  ['that is nothing', 'null', '(whole)'],
  ['without a tracking number', { eventoId: 'TRN', fechahora: 1_794_690_649_000 }, 'rastreo'],
  ['without a code', { rastreo: '1', fechahora: 1_794_690_649_000 }, 'eventoId'],
  ['without an instant', { rastreo: '1', eventoId: 'TRN' }, 'fechahora'],
  ['with words for an instant', { rastreo: '1', eventoId: 'TRN', fechahora: 'ayer' }, 'fechahora'],
  [
    'with a number too long to be one',
    { rastreo: '9'.repeat(65), eventoId: 'TRN', fechahora: '1794690649000' },
    'rastreo',
  ],
  [
    'with half a character',
    '{"rastreo":"1","eventoId":"\\ud800","fechahora":1794690649000}',
    '(whole)',
  ],
] as const)
  test(`a webhook ${what} is refused with the field that is wrong`, async () => {
    const { organization } = await instance.tenant();
    const address = await addressOf(instance, organization);

    const answer = await push(address, body);

    assert.equal(answer.status, 400);
    assert.equal(answer.body.error.code, 'invalid_payload');
    assert.equal(answer.body.error.param, field);
    assert.deepEqual(
      await receiptsAt(instance, organization.id),
      [],
      'only valid ones leave a receipt',
    );
  });

test('a secret that is missing, wrong or another’s, an organisation that is unknown or has none: one answer for all', async (t) => {
  const own = await openApp(lastFirst(t), { clock, database: await freshDatabase() });
  const [mine, other, bare] = await Promise.all([own.tenant(), own.tenant(), own.tenant()]);
  const [address, theirs] = [
    await addressOf(own, mine.organization),
    await addressOf(own, other.organization),
  ];
  const secret = new URL(address).searchParams.get('secret') ?? '';
  const at = (publicId: string, query: string) =>
    `${own.url}/webhooks/paquetexpress/${publicId}${query}`;
  const cases = [
    at(mine.organization.publicId, ''),
    at(mine.organization.publicId, '?secret='),
    at(mine.organization.publicId, `?secret=${secret.slice(0, -1)}`),
    at(mine.organization.publicId, `?secret=${secret}x`),
    at(mine.organization.publicId, new URL(theirs).search),
    at(bare.organization.publicId, `?secret=${secret}`),
    at('org_nadie', `?secret=${secret}`),
    at('', `?secret=${secret}`),
  ];

  const answers = await Promise.all(
    cases.flatMap((url) => [push(url, { rastreo: '1' }), push(url, '{no es json')]),
  );

  const bodies = answers.map(({ status, body }) => [status, { ...body, meta: null }]);
  assert.deepEqual(new Set(bodies.map((one) => JSON.stringify(one))).size, 1);
  assert.equal(answers[0]?.status, 401);
  assert.equal(answers[0]?.body.error.code, 'invalid_webhook_secret');
  assert.equal((await push(address, { rastreo: '1' })).status, 400, 'with the secret it is judged');
});

test('the secret is taken in a header, too, where the address has none', async () => {
  const { organization } = await instance.tenant();
  const address = new URL(await addressOf(instance, organization));
  const secret = address.searchParams.get('secret') ?? '';
  const bare = address.href.replace(address.search, '');
  const event = { rastreo: '827000000000000077', eventoId: 'SWB', fechahora: now() };
  const pushed = async (to: string, header: string) => {
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': header };
    const sent = { method: 'POST', headers, body: JSON.stringify(event) };
    return (await fetch(to, sent)).status;
  };

  assert.equal(await pushed(bare, secret), 200);
  assert.equal(await pushed(bare, `${secret}x`), 401);
  assert.equal(await pushed(bare, ''), 401);
  assert.equal(await pushed(`${bare}?secret=no`, secret), 401, 'the address has one');
});

test('too much is refused before the secret is looked at, and so is every other method', async () => {
  const { organization } = await instance.tenant();
  const address = await addressOf(instance, organization);
  const bare = address.split('?')[0] as string;

  const large = await push(bare, 'x'.repeat(256 * 1024 + 1));
  const got = await fetch(address);
  const put = await fetch(address, { method: 'PUT', body: '{}' });
  const deeper = await push(`${bare}/mas`, {});

  assert.deepEqual([large.status, large.body.error.code], [413, 'payload_too_large']);
  assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
  assert.equal(put.status, 405);
  assert.equal(deeper.status, 404);
});

test('a retired host answers 410 and an unknown one 421, whatever the secret', async (t) => {
  const own = await openApp(lastFirst(t), {
    clock,
    database: await freshDatabase(),
    env: { API_HOSTS: '127.0.0.1', LEGACY_HOSTS: 'viejo.example' },
  });
  const address = new URL(await addressOf(own, own.organization));
  const event = { rastreo: '1', eventoId: 'TRN', fechahora: now() };

  const served = await pushAs('127.0.0.1', address, event);
  const legacy = await pushAs('viejo.example', address, event);
  const unknown = await pushAs('otro.example', address, event);

  assert.equal(served.status, 200);
  assert.deepEqual([legacy.status, legacy.body.error.code], [410, 'legacy_host_gone']);
  assert.deepEqual([unknown.status, unknown.body.error.code], [421, 'misdirected_request']);
});

test('a caller that fails too often from one address is held off, and one with the secret never is', async (t) => {
  const own = await openApp(lastFirst(t), {
    clock: turnedClock(),
    database: await freshDatabase(),
  });
  const address = await addressOf(own, own.organization);
  const event = { rastreo: '1', eventoId: 'TRN', fechahora: now() };
  const wrong = () => push(address.replace('secret=', 'secret=no'), event);

  const statuses = new Set<number>();
  for (let time = 0; time < 60; time++) statuses.add((await wrong()).status);
  const held = await wrong();
  const good = await push(address, event);

  assert.deepEqual([...statuses], [401]);
  assert.equal(held.status, 429);
  assert.equal(held.body.error.code, 'too_many_requests');
  assert.match(held.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(good.status, 200);
});

test('the address is the same each time it is printed, also after leaving; rotated, the former one works for a day', async (t) => {
  const sender = await openSender(instance, t);
  const { organization, connectionId, address } = sender;
  const event = (number: number) => ({
    rastreo: String(number),
    eventoId: 'TRN',
    fechahora: now(),
  });
  const statusAt = async (url: string, number: number) => (await push(url, event(number))).status;

  await disconnectAccount(instance.app.exchange, organization.id, connectionId);
  assert.equal(await addressOf(instance, organization), address);
  assert.equal(await statusAt(address, 0), 200);
  const rotated = await addressOf(instance, organization, { rotate: true });

  assert.notEqual(rotated, address);
  assert.ok((new URL(address).searchParams.get('secret') ?? '').length >= 43, '256 bits');
  assert.deepEqual([await statusAt(address, 1), await statusAt(rotated, 2)], [200, 200]);
  clock.advance({ hours: 23, minutes: 59 });
  assert.equal(await statusAt(address, 3), 200);
  clock.advance({ minutes: 1 });
  await becomes(async () => [await statusAt(address, 4), await statusAt(rotated, 5)], [401, 200]);
  assert.equal(await addressOf(instance, organization), rotated);
});

test('addresses that were rotated several times in a day each work until their own day is over', async (t) => {
  const { organization, address } = await openSender(instance, t);
  const event = (number: number) => ({ rastreo: `R${number}`, eventoId: 'TRN', fechahora: now() });
  const statusesAt = async (urls: readonly string[]) => {
    const answers = await Promise.all(urls.map((url, number) => push(url, event(number))));
    return answers.map(({ status }) => status);
  };
  const addresses = [address];
  for (let rotation = 0; rotation < 4; rotation++) {
    addresses.push(await addressOf(instance, organization, { rotate: true }));
    clock.advance({ hours: 1 });
  }

  await becomes(() => statusesAt(addresses), [200, 200, 200, 200, 200]);
  clock.advance({ hours: 20 });
  // The first day is over.
  await becomes(() => statusesAt(addresses), [401, 200, 200, 200, 200]);

  for (let rotation = 0; rotation < 3; rotation++)
    addresses.push(await addressOf(instance, organization, { rotate: true }));
  // The oldest that was promised and the newest stay.
  await becomes(() => statusesAt(addresses), [401, 200, 401, 401, 200, 200, 200, 200]);
});

/** Processes hear of a rotation a moment after it. */
async function becomes(statuses: () => Promise<number[]>, wanted: readonly number[]) {
  const isSo = async () => isDeepStrictEqual(await statuses(), wanted);
  if (!(await eventually(isSo, 30_000, 300))) assert.deepEqual(await statuses(), wanted);
}

test('the secret is sealed where it is kept', async () => {
  const { organization } = await instance.tenant();
  const address = await addressOf(instance, organization);
  const secret = new URL(address).searchParams.get('secret') ?? '';

  const rows = await query(instance, 'select * from webhook_secrets where organization_id = $1', [
    organization.id,
  ]);

  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(secret));
});

test('an account of old without an address must be connected again, in words, and gets one then', async (t) => {
  const { organization, carrier, connectionId } = await openSender(instance, t);
  await query(instance, 'delete from webhook_secrets where organization_id = $1', [
    organization.id,
  ]);

  await askForAddresses(instance.app.exchange);

  const stateOf = async () => {
    const scope = instance.app.database.within(organization.id);
    return scope.read((read) => connectionById(read, connectionId));
  };
  const asked = await stateOf();
  assert.equal(asked?.state, 'reauth_required');
  assert.match(asked?.stateMessage ?? '', /Reconéctala/);
  await connectCarrier(instance, organization.id, carrier);
  await askForAddresses(instance.app.exchange);
  assert.equal((await stateOf())?.state, 'ok');
  assert.equal((await push(await addressOf(instance, organization), {})).status, 400);
});

test('of a parcel whose history is refused the last event of the list counts', async (t) => {
  const { organization, carrier } = await openSender(instance, t);
  const parcel = carrier.document({ at: Date.parse('2026-02-03T18:00:00Z'), hasNoHistory: true });
  carrier.happen(parcel.tracking, 'HDC', Date.parse('2026-02-05T20:00:00Z'));

  for (let run = 0; run < 2; run++) {
    await sync(organization.id);
    const { state, category, final } = (await parcelsAt(instance, organization.id))[
      parcel.tracking
    ] as Record<string, unknown>;
    assert.deepEqual([state, category, final], ['HDC', 'ENTREGADO', true]);
  }
});

test('in a day: 24 hourly sync runs, 4 of which look at all that is open, and 12 times the histories of changed days', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(lastFirst(t), {
    clock: turnedClock(),
    database: await freshDatabase(),
  });
  const sender = await openSender(own, t);
  const { carrier } = sender;
  const [reported, quiet] = [carrier.document(), carrier.document()];
  await workOff(own);
  const passes: string[] = [];
  const traces: string[] = [];
  const since = { lists: carrier.calls(/consulta/) };

  for (let hour = 1; hour <= 24; hour++) {
    own.clock.advance({ minutes: 30 });
    // Something is pushed of the one parcel every hour, so that only a whole sync run asks about it.
    carrier.happen(reported.tracking, hour % 2 === 0 ? 'TRN' : 'HCA');
    await push(sender.address, {
      rastreo: reported.tracking,
      eventoId: hour % 2 === 0 ? 'TRN' : 'HCA',
      fechahora: own.clock.now().epochMilliseconds,
    });
    await settled(own);
    own.clock.advance({ minutes: 30 });
    const before = carrier.requests.length;
    await workOff(own);
    const asked = carrier.requests.slice(before).filter(({ status }) => status === 200);
    const histories = asked.filter(({ path }) =>
      path.includes(`/historico/${reported.tracking}/`),
    ).length;
    const ofQuiet = asked.filter(({ path }) =>
      path.includes(`/historico/${quiet.tracking}/`),
    ).length;
    if (ofQuiet > 0) passes.push(`${hour}`);
    if (histories > 0) traces.push(`${hour}`);
  }

  assert.equal(carrier.calls(/consulta/) - since.lists >= 24, true);
  const runs = await query(
    own,
    `select name, count(*)::int as count from queue.job where name in ('sync', 'trace') and state = 'completed' group by 1 order by 1`,
  );
  assert.deepEqual(runs, [
    { name: 'sync', count: 25 },
    { name: 'trace', count: 12 },
  ]);
  assert.equal(passes.length, 24, 'a parcel of which nothing is heard is asked about every hour');
  assert.deepEqual(
    traces,
    Array.from({ length: 12 }, (_, index) => String(2 * index + 2)),
  );
  const sweeps = await query(own, "select every_seconds from schedules where task = 'sweep'");
  assert.deepEqual(sweeps, [{ every_seconds: 6 * 3_600 }]);
});

test('the six-hourly sync run asks also about parcels that had webhooks', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(lastFirst(t), {
    clock: turnedClock(),
    database: await freshDatabase(),
  });
  const sender = await openSender(own, t);
  const { tracking } = sender.carrier.document();
  await workOff(own);
  await query(own, "update schedules set due_at = due_at + interval '1 year' where task = 'trace'");
  const asked: number[] = [];

  for (let hour = 1; hour <= 24; hour++) {
    own.clock.advance({ minutes: 59 });
    await push(sender.address, { rastreo: tracking, eventoId: 'OTN', fechahora: now() + hour });
    await settled(own);
    own.clock.advance({ minutes: 1 });
    const before = sender.carrier.calls(/infotrack/);
    await workOff(own);
    if (sender.carrier.calls(/infotrack/) > before) asked.push(hour);
  }

  assert.deepEqual(asked, [6, 12, 18, 24]);
});

const INTERLEAVINGS = Number(process.env.INTERLEAVINGS ?? 12);

test(`webhooks, sync runs and histories in ${INTERLEAVINGS} random orders all end in the same place`, {
  tags: ['slow'],
}, async (t) => {
  const sender = await openSender(instance, t);
  const { organization, carrier } = sender;
  await sync(organization.id);
  const codes = ['HCA', 'TRN', 'EAD', 'ENT', 'HDR', 'HCE'];
  for (let round = 0; round < INTERLEAVINGS; round++) {
    const roll = rollOf(round);
    const { tracking } = carrier.document();
    const start = now();
    const steps = codes.map((code, index) => ({ code, at: start + index * 60_000 + 1 }));
    clock.advance({ hours: 1 });
    const acts = steps.flatMap(({ code, at }) => [
      async () => carrier.happen(tracking, code, at),
      () => push(sender.address, { rastreo: tracking, eventoId: code, fechahora: at }),
      ...(roll() < 0.3 ? [() => sync(organization.id)] : []),
    ]);
    for (const act of acts.sort(() => roll() - 0.5)) await act();
    clock.advance({ hours: 1 });
    await sync(organization.id);
    await settled(instance);

    const parcel = (await parcelsAt(instance, organization.id))[tracking];
    assert.deepEqual([round, parcel?.state, parcel?.category], [round, 'HCE', 'INCIDENCIA']);
  }
  const twice = await query(
    instance,
    `select tracking_number, code, occurred_at from shipment_events where organization_id = $1
      group by 1, 2, 3 having count(*) > 1`,
    [organization.id],
  );
  assert.deepEqual(twice, []);
});

test('a reading that is behind takes nothing back that was pushed', async (t) => {
  const sender = await withParcel(t);
  const { organization, carrier, tracking } = sender;
  carrier.happen(tracking, 'HCA');
  clock.advance({ hours: 2 });

  await pushEvent(sender, 'ENT', now());
  await settled(instance);
  carrier.happen(tracking, 'TRN', now() - HOUR);
  clock.advance({ hours: 1 });
  await sync(organization.id);

  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'ENT');
  const codes = (await eventsAt(instance, organization.id)).map((event) => event.split(' ')[0]);
  assert.deepEqual(codes, ['SWB', 'HCA', 'TRN', 'ENT']);
});

test('of one instant a reading that knows only the step before takes nothing back', async (t) => {
  const sender = await withParcel(t);
  const { organization, carrier, tracking } = sender;
  const at = now();
  carrier.happen(tracking, 'EAD', at);
  await pushEvent(sender, 'ENT', at);
  await settled(instance);

  clock.advance({ hours: 2 });
  await sync(organization.id);

  assert.deepEqual((await eventsAt(instance, organization.id)).length, 3, 'the history was read');
  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'ENT');
});

test('an event that crossed with its shipment is linked by the next sync run, though the parcel is not fetched', async (t) => {
  const sender = await withParcel(t);
  const { organization, tracking } = sender;
  await pushEvent(sender, 'TRN');
  await settled(instance);
  // As if the transaction that brought the shipment had not been seen by the one that brought the
  // event.
  await query(
    instance,
    'update shipment_events set shipment_id = null where organization_id = $1',
    [organization.id],
  );
  await query(instance, "update shipments set carrier_status = 'SWB' where organization_id = $1", [
    organization.id,
  ]);

  clock.advance({ minutes: 30 });
  await hourlyPass(sender);

  assert.ok(
    (await eventsAt(instance, organization.id)).every((event) => !event.endsWith('orphan')),
  );
  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'TRN');
});

test('the carrier’s own webhooks reach us through the address, and again until they are taken', async (t) => {
  const sender = await withParcel(t);
  const { carrier, tracking, organization } = sender;
  carrier.webhooks.sendTo(sender.address.replace('secret=', 'secret=no'));
  clock.advance({ minutes: 5 });
  carrier.happen(tracking, 'HCA');

  const refused = await carrier.webhooks.deliver();
  carrier.webhooks.sendTo(sender.address);
  const taken = await carrier.webhooks.deliver();
  await settled(instance);

  assert.deepEqual(
    [...refused, ...taken].map(({ status }) => status),
    [401, 200],
  );
  assert.equal((await parcelsAt(instance, organization.id))[tracking]?.state, 'HCA');
});

test('while events cannot be stored the carrier gets 503', async (t) => {
  const own = await openApp(lastFirst(t), { clock, database: await freshDatabase() });
  const address = await addressOf(own, own.organization);
  const event = { rastreo: '1', eventoId: 'TRN', fechahora: now() };
  await query(own, 'alter table carrier_receipts rename to elsewhere');

  const lost = await push(address, event);
  const kept = await eventsAt(own, own.organization.id);
  await query(own, 'alter table elsewhere rename to carrier_receipts');
  const again = await push(address, event);

  assert.equal(lost.status, 500);
  assert.deepEqual(kept, [], 'no event without its receipt');
  assert.deepEqual([again.status, again.body.duplicate], [200, false]);
});

test('a guide: made once, billed, with both labels, found by its reference, cancelled before it is collected', async (t) => {
  const sender = await openSender(instance, t, { credit: '1000.00' });
  const api = await guideApiOf(sender);
  const span = { from: clock.now(), to: clock.now() };
  const ago = (days: number) => clock.now().subtract({ hours: 24 * days });
  const before = { from: ago(10), to: ago(8) };

  const made = await api.create(aGuide('L-1'));
  assert.ok(made.ok);
  const labels = await api.labels(made.tracking);
  const found = await api.find('L-1', span);
  const none = await api.find('L-2', span);
  const early = await api.find('L-1', before);
  const cancelled = await api.cancel(made.tracking);
  const after = await api.find('L-1', span);
  const twice = await api.cancel('999');

  const [parcel] = sender.carrier.parcels();
  assert.equal(made.tracking, parcel?.tracking);
  assert.equal(made.guide, parcel?.guide);
  assert.equal(made.amount, String(Number(parcel?.amount)));
  assert.equal(Number(made.availableBalance), 1_000 - Number(parcel?.amount));
  assert.deepEqual(
    [parcel?.receiver.zip, parcel?.kilograms, parcel?.reference],
    ['72000', 12.5, 'L-1'],
  );
  assert.match(labels.zpl ?? '', /^\^XA[\s\S]+\^XZ$/);
  const pdf = Buffer.from(labels.pdfBase64 ?? '', 'base64');
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.deepEqual(
    [...pdf.subarray(10, 14)],
    [0xe2, 0xe3, 0xcf, 0xd3],
    'bytes come through as they are',
  );
  const { tracking, guide } = made;
  const here = { tracking, guide, amount: parcel?.amount };
  assert.deepEqual(found, { ...here, isCancelled: false });
  assert.deepEqual(after, { ...here, isCancelled: true });
  assert.deepEqual([none, early], [null, null]);
  assert.deepEqual(cancelled, { ok: true });
  assert.equal(twice.ok, false);
  assert.equal(sender.carrier.credit(), '1000.00');
});

test('a guide whose answer is lost is not requested again: it is found', async (t) => {
  const sender = await openSender(instance, t);
  const api = await guideApiOf(sender);
  sender.carrier.faults.next({ kind: 'reset', match: /v1\/guia$|v1\/guia\?/ });

  await assert.rejects(api.create(aGuide('L-9')), { name: 'UpstreamError' });

  assert.equal(sender.carrier.calls(/rad\/v1\/guia/), 1);
  const found = await api.find('L-9', { from: clock.now(), to: clock.now() });
  assert.equal(found?.tracking, sender.carrier.parcels()[0]?.tracking);
});

test('guides of one batch share a session, and one that ended is opened again once', async (t) => {
  const sender = await openSender(instance, t);
  const api = await guideApiOf(sender);
  const logins = sender.carrier.calls(/loginv1/);

  await api.create(aGuide('L-1'));
  await api.create(aGuide('L-2'));
  clock.advance({ seconds: 31 });
  const third = await api.create(aGuide('L-3'));

  assert.ok(third.ok);
  assert.equal(sender.carrier.calls(/loginv1/) - logins, 2);
  assert.equal(sender.carrier.parcels().length, 3);
});

for (const [what, given, words] of [
  ['without coverage', { zipcode: '23999' }, /no llega al código postal/],
  ['to a postal code that does not exist', { zipcode: '00000' }, /no existe/],
] as const)
  test(`a guide ${what} is refused in words, and nothing is paid`, async (t) => {
    const sender = await openSender(instance, t);
    const api = await guideApiOf(sender);
    const asked = aGuide('L-1');

    const answer = await api.create({ ...asked, destination: { ...asked.destination, ...given } });

    assert.ok(!answer.ok);
    assert.match(answer.message, words);
    assert.equal(sender.carrier.parcels().length, 0);
  });

test('a guide without credit is refused in words', async (t) => {
  const sender = await openSender(instance, t, { credit: '5.00' });

  const answer = await (await guideApiOf(sender)).create(aGuide('L-1'));

  assert.ok(!answer.ok);
  assert.equal(answer.code, '31');
  assert.match(answer.message, /saldo/);
});

test('labels that cannot be had do not fail the guide', async (t) => {
  const sender = await openSender(instance, t);
  const api = await guideApiOf(sender);
  const made = await api.create(aGuide('L-1'));
  assert.ok(made.ok);
  sender.carrier.faults.next({ kind: 'bad_gateway', match: /GenCartaPorte/, times: 10 });
  sender.carrier.faults.next({ kind: 'garbage', match: /infotrack/, times: 10 });

  assert.deepEqual(await api.labels(made.tracking), { zpl: null, pdfBase64: null });
  sender.carrier.faults.stop();
  const excuse = await api.labels('999');

  assert.deepEqual(excuse, { zpl: null, pdfBase64: null }, 'a page that is no PDF is none');
});

test('guides may be made at another address than where the rest is asked, with a session of their own', async (t) => {
  const guides = await startCarrier(t, clock, { seed: 'qa', username: 'TIENDA01' });
  const main = await startCarrier(t, clock);
  const own = await openApp(lastFirst(t), {
    clock,
    database: await freshDatabase(),
    env: { PAQUETEXPRESS_GUIDE_URL: guides.url, PAQUETEXPRESS_BASE_URL: main.url },
  });
  const connectionId = await connectCarrier(own, own.organization.id, main);
  const scope = own.app.database.within(own.organization.id);
  const connection = await scope.read((read) => connectionById(read, connectionId));
  assert.ok(connection);
  const { connector, call } = openConnection(own.app.exchange, connection);

  // The two simulators know different tokens: the one of guides refuses, and the other was never
  // asked.
  await assert.rejects(async () => connector.guides?.(call).create(aGuide('L-1')), {
    kind: 'unauthorized',
  });

  assert.equal(main.calls(/v1\/guia/), 0);
  assert.equal(guides.calls(/loginv1/), 1);
});

interface ParcelSender extends Sender {
  readonly tracking: string;
}

/** One parcel, which is known. */
async function withParcel(
  t: Parameters<typeof openSender>[1],
  reference?: string,
): Promise<ParcelSender> {
  const sender = await openSender(instance, t);
  const { tracking } = sender.carrier.document(reference === undefined ? {} : { reference });
  await sync(sender.organization.id);
  clock.advance({ minutes: 1 });
  return { ...sender, tracking };
}

function pushEvent(
  { address, tracking }: ParcelSender,
  code: string,
  at: number | string = now(),
  more: object = {},
) {
  return push(address, { rastreo: tracking, eventoId: code, fechahora: at, ...more });
}

/** Under a host name of its own choice, which fetch does not allow. */
function pushAs(
  host: string,
  address: URL,
  event: object,
): Promise<Pick<PushAnswer, 'status' | 'body'>> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'POST', headers: { host } }, async (answer) => {
      let text = '';
      for await (const part of answer) text += part;
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
    });
    sent.once('error', reject).end(JSON.stringify(event));
  });
}

function sync(organizationId: string) {
  return syncOrganization(instance.app.exchange, {
    organizationId,
    service: null,
    stream: 'shipments',
  });
}

/** The sync run of every hour, which does not look at all that is open. */
async function hourlyPass({ organization, connectionId }: Sender) {
  const scope = instance.app.database.within(organization.id);
  const connection = await scope.read((read) => connectionById(read, connectionId));
  assert.ok(connection);
  return runStream(instance.app.exchange, connection, 'shipments', {
    reconcile: false,
    ifRunning: 'wait',
  });
}

async function keyOf({ organization }: Sender): Promise<string> {
  const made = await instance.app.database
    .within(organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'otra' }));
  return made.key;
}

async function guideApiOf({ organization, connectionId }: Sender) {
  const scope = instance.app.database.within(organization.id);
  const connection = await scope.read((read) => connectionById(read, connectionId));
  assert.ok(connection);
  const { connector, call } = openConnection(instance.app.exchange, connection);
  const api = connector.guides?.(call);
  assert.ok(api);
  return api;
}

/** mulberry32 */
function rollOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
