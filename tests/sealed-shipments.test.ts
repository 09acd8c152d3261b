import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { forgetBuyer } from '../src/exchange/webhooks/privacy.ts';
import { shipmentDocument } from '../src/features/shipments/index.ts';
import { storedDetails } from '../src/features/shipments/store-details.ts';
import { newId } from '../src/platform/ids.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { connectCarrier, startCarrier } from './support/paquetexpress.ts';
import { openParcels } from './support/parcels.ts';
import { freshDatabase } from './support/server.ts';
import { endUpdatesOf, unsealShipments } from './support/unsealed.ts';

// Carriers' documents are sealed with the key of their organisation.

const LEFT =
  'select (select count(*) from shipments where raw is not null)::int + (select count(*) from paquetexpress_shipments where raw is not null)::int as left';

test('a dump of the database shows nothing of carriers’ documents, nor who receives a parcel', async (t) => {
  const { own, sim, connect } = await openParcels(t);
  sim.parcels.make();
  await connect();
  const carrier = await startCarrier(t, own.clock);
  await connectCarrier(own, own.organization.id, carrier);
  const { receiver } = carrier.document();
  await sync(own);

  const documents = (await documentsOf(own)).join();
  const secrets = new Set([
    receiver.name,
    receiver.street,
    receiver.phone,
    'seguimiento.zipnova.example',
  ]);
  for (const secret of secrets) assert.ok(documents.includes(secret), `${secret} is in a document`);
  assert.deepEqual(shownIn(await dumpOf(own), secrets), []);
});

for (const [what, change] of [
  ['shipment', "id = 'another'"],
  ['account', "account_id = 'another'"],
  ['carrier', "carrier = 'paquetexpress'"],
  ['organisation', 'raw_box = (select raw_box from shipments where organization_id = $2)'],
] as const)
  test(`the document of a shipment opens for no other ${what}`, async (t) => {
    const { own, sim, connect } = await openParcels(t);
    sim.parcels.make();
    await connect();
    assert.equal((await documentsOf(own)).filter((document) => document !== null).length, 1);
    const other = await own.tenant();
    await query(
      own,
      `insert into shipments select * from jsonb_populate_record(null::shipments,
         (select to_jsonb(s) from shipments s) || jsonb_build_object('organization_id', $1::text))`,
      [other.organization.id],
    );

    const isOther = change.includes('$2');
    const owner = isOther ? other.organization.id : own.organization.id;
    await query(
      own,
      `update shipments set ${change} where organization_id = $1`,
      isOther ? [owner, own.organization.id] : [owner],
    );

    assert.deepEqual(await documentsOf(own, owner), [null]);
  });

test('what a former version kept is sealed by the housekeeping, which goes on where it was killed', {
  tags: ['slow'],
}, async (t) => {
  const { own, sim, connect } = await openParcels(t);
  for (let number = 0; number < 60; number++) sim.parcels.make();
  await connect();
  const carrier = await startCarrier(t, own.clock);
  await connectCarrier(own, own.organization.id, carrier);
  for (let number = 0; number < 15; number++) carrier.document();
  await sync(own);
  const sealed = await documentsOf(own);
  await unsealShipments(own);
  assert.deepEqual(await documentsOf(own), sealed, 'documents in clear are read as well');
  assert.deepEqual(await query(own, LEFT), [{ left: 90 }]);

  const goOn = await endUpdatesOf(
    own,
    'shipments',
    `new.id = '${(await query(own, LAST))[0]?.id}'`,
  );
  await runHousekeeping(own.app.exchange);
  assert.deepEqual(await query(own, LEFT), [{ left: 40 }], 'the first transaction stays');
  await goOn();
  await runHousekeeping(own.app.exchange);

  assert.deepEqual(await query(own, LEFT), [{ left: 0 }]);
  assert.deepEqual(await documentsOf(own), sealed);
});

test('the receiver of a parcel, as a former version stored it in clear, is sealed, and names that nothing shows are removed', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const carrier = await startCarrier(t, own.clock);
  await connectCarrier(own, own.organization.id, carrier);
  const { tracking, receiver } = carrier.document();
  await sync(own);
  const before = await detailsOf(own, tracking);
  assert.deepEqual(
    [before?.destination_name, before?.destination_phone, before?.destination_street],
    [receiver.name, receiver.phone, receiver.street],
  );
  await query(
    own,
    `update paquetexpress_shipments set personal_box = null, origin_name = $1, destination_name = $2,
            destination_tax_id = $3, destination_phone = $4, destination_street = $5,
            destination_number = $6, destination_colony = $7, comments = $8`,
    PERSONAL.map((column) => before?.[column]),
  );
  const { name } = receiver;
  const place = JSON.stringify({ name, city: 'León', state: null, zipcode: '37000' });
  await query(own, 'update shipments set destination = $1, origin = null', [place]);

  await runHousekeeping(own.app.exchange);

  assert.deepEqual(await detailsOf(own, tracking), before);
  const secrets = new Set([receiver.name, receiver.phone, receiver.street]);
  assert.deepEqual(shownIn(await dumpOf(own), secrets), []);
  const [row] = await query(own, 'select origin, destination::jsonb as destination from shipments');
  assert.deepEqual(
    [row?.origin, Object.keys(row?.destination as object).sort()],
    [null, ['city', 'state', 'zipcode']],
  );
});

test('a reading that says the same writes nothing; over a document in clear it writes the sealed one', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const carrier = await startCarrier(t, own.clock);
  await connectCarrier(own, own.organization.id, carrier);
  carrier.document();
  for (const hours of [1, 2]) {
    own.clock.advance({ hours });
    await sync(own);
  }
  const ROW = 'select raw, raw_digest, xmin::text from paquetexpress_shipments';
  const [first] = await query(own, ROW);

  own.clock.advance({ hours: 1 });
  await sync(own);
  assert.deepEqual(await query(own, ROW), [first]);

  await unsealShipments(own);
  own.clock.advance({ hours: 1 });
  await sync(own);

  const [row] = await query(own, ROW);
  assert.deepEqual([row?.raw, row?.raw_digest], [null, first?.raw_digest]);
});

test('where the data key is lost a document is shown as missing, and the next change brings another', async (t) => {
  const database = await freshDatabase();
  const former = await openApp(t, { database });
  const carrier = await startCarrier(t, former.clock);
  await connectCarrier(former, former.organization.id, carrier);
  const { tracking } = carrier.document();
  await sync(former);
  await query(former, "update data_keys set box = 'lost'");
  await former.app.close();

  const own = await openApp(t, { database, env: { MASTER_KEY: String(former.env.MASTER_KEY) } });
  assert.deepEqual(await documentsOf(own, former.organization.id), [null]);
  for (const { clock } of [former, own]) clock.advance({ hours: 2 });
  carrier.happen(tracking, 'HCA');
  await sync(own, former.organization.id);

  const [document] = await documentsOf(own, former.organization.id);
  assert.match(document ?? '', /"HCA"/);
});

test('a forgotten buyer is forgotten in the parcel too, and no later reading of it stores them', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const order = anOrder();
  await own.record([order]);
  const carrier = await startCarrier(t, own.clock);
  await connectCarrier(own, own.organization.id, carrier);
  const bought = carrier.document({ reference: order.id });
  const another = carrier.document();
  await sync(own);
  const { marketplace, accountId } = order;
  const account = { organizationId: own.organization.id, id: newId(), marketplace, accountId };

  await forgetBuyer(own.app.exchange, account, [order.id]);
  const forgotten = await detailsOf(own, bought.tracking);
  for (const hours of [2, 4]) {
    own.clock.advance({ hours });
    carrier.happen(bought.tracking, 'HCA');
    await sync(own);
  }

  for (const details of [forgotten, await detailsOf(own, bought.tracking)]) {
    const left = PERSONAL.filter((column) => details?.[column] !== null);
    assert.deepEqual([left, details?.destination_zip], [[], bought.receiver.zip]);
  }
  assert.equal((await detailsOf(own, bought.tracking))?.status_code, 'HCA');
  const other = await detailsOf(own, another.tracking);
  assert.equal(other?.destination_name, another.receiver.name);
  const documents = await documentsOf(own);
  assert.deepEqual(documents.map((document) => document === null).sort(), [false, true]);
});

const PERSONAL = [
  'origin_name',
  'destination_name',
  'destination_tax_id',
  'destination_phone',
  'destination_street',
  'destination_number',
  'destination_colony',
  'comments',
];
const LAST = "select id from shipments where carrier = 'zipnova' order by id desc limit 1";

async function detailsOf({ app, organization }: TestApp, tracking: string) {
  const account = { carrier: 'paquetexpress', accountId: 'TIENDA01' } as const;
  const found = await app.database
    .within(organization.id)
    .read((scope) => storedDetails(scope, account, [tracking]));
  return found.get(tracking);
}

function sync({ app, organization }: TestApp, organizationId = organization.id) {
  const request = { organizationId, service: null, stream: 'shipments' } as const;
  return syncOrganization(app.exchange, request);
}

async function documentsOf(
  own: TestApp,
  organizationId = own.organization.id,
): Promise<(string | null)[]> {
  const rows = await query(
    own,
    'select carrier, account_id, id from shipments where organization_id = $1 order by carrier, id',
    [organizationId],
  );
  const identities = rows.map(({ carrier, account_id, id }) => ({
    carrier: carrier as 'zipnova',
    accountId: String(account_id),
    id: String(id),
  }));
  return Promise.all(
    identities.map((identity) =>
      own.app.database.within(organizationId).read((scope) => shipmentDocument(scope, identity)),
    ),
  );
}
