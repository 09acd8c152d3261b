import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runGuides } from '../src/exchange/guides/generate-guides.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import {
  type Attempt,
  acceptBatch,
  attemptsOf,
  batchById,
} from '../src/features/warehouse/index.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { connectCarrier, startCarrier } from './support/paquetexpress.ts';
import { freshDatabase } from './support/server.ts';
import { endUpdatesOf } from './support/unsealed.ts';
import { ADDRESS, lineOf, linesOf, PACKER, readyForGuides } from './support/warehouse.ts';

// Addresses that people type, the requests and labels with them, and the tax ids of batches, are sealed with the key of
// their organisation.

const LEFT = `select
  (select count(*) from warehouse_lines where destination is not null)::int as destinations,
  (select count(*) from guide_attempts where request is not null)::int as requests,
  (select count(*) from guide_attempts where zpl is not null)::int as zpl,
  (select count(*) from guide_attempts where pdf_base64 is not null)::int as pdf,
  (select count(*) from guide_batches where overrides is not null)::int as overrides`;
const TAX_ID = 'COSC8001137NA';

test('a dump of the database shows no address of a line, nor the request and the labels of its guide', async (t) => {
  const own = await openWarehouse(t, 1);

  const [attempt] = await attemptsIn(own);

  const [zpl, pdfBase64] = [attempt?.zpl ?? '', attempt?.pdfBase64 ?? ''];
  assert.ok(zpl.startsWith('^XA') && pdfBase64.length > 40);
  assert.equal(attempt?.request?.destinationTaxId, TAX_ID);
  assert.deepEqual(attempt?.request?.destination, { ...ADDRESS, email: null, country: 'MEXICO' });
  const { name, street, phone } = ADDRESS;
  // A dump shows a line of a text as it is, and the ends of lines otherwise.
  const [printed = ''] = zpl.split('\n').toSorted((a, b) => b.length - a.length);
  assert.ok(printed.length > 10, zpl);
  const secrets = new Set([TAX_ID, name, street, phone, printed, pdfBase64.slice(0, 40)]);
  // The settings have the address of the seller, which is as long as this one.
  const dump = await dumpOf(own, ['public.logistics_settings.settings']);
  assert.deepEqual(shownIn(dump, secrets), []);
});

test('an address opens for no other line, and a label for no other attempt nor as another label', async (t) => {
  const own = await openWarehouse(t, 2);
  const addresses = await destinationsIn(own);
  assert.deepEqual(addresses, [ADDRESS.zipcode, ADDRESS.zipcode]);

  await query(
    own,
    `update warehouse_lines l set destination_box = o.destination_box
       from warehouse_lines o where o.id <> l.id`,
  );
  await query(
    own,
    `update guide_attempts a set zpl_box = o.zpl_box, pdf_box = a.zpl_box
       from guide_attempts o where o.id <> a.id`,
  );

  assert.deepEqual(await destinationsIn(own), [undefined, undefined]);
  const labels = (await attemptsIn(own)).map(({ zpl, pdfBase64 }) => [zpl, pdfBase64]);
  assert.deepEqual(labels, [
    [null, null],
    [null, null],
  ]);
});

test('what a former version stored in clear is read, and sealed by the housekeeping, which goes on where it was killed', {
  tags: ['slow'],
}, async (t) => {
  const own = await openWarehouse(t, 60);
  const before = [await linesOf(own), await attemptsIn(own), await overridesIn(own)];
  await inClear(own);
  assert.deepEqual(await query(own, LEFT), [
    { destinations: 60, requests: 60, zpl: 60, pdf: 60, overrides: 2 },
  ]);
  assert.deepEqual(
    [await linesOf(own), await attemptsIn(own), await overridesIn(own)],
    before,
    'in clear it is read, too',
  );

  const [last] = await query(own, 'select id from guide_attempts order by id desc limit 1');
  const goOn = await endUpdatesOf(
    own,
    'guide_attempts',
    `new.id = '${last?.id}' and new.request is null`,
  );
  await runHousekeeping(own.app.exchange);
  assert.deepEqual(
    await query(own, LEFT),
    [{ destinations: 0, requests: 20, zpl: 60, pdf: 60, overrides: 2 }],
    'the transactions before stay',
  );
  await goOn();
  await runHousekeeping(own.app.exchange);

  assert.deepEqual(await query(own, LEFT), [
    { destinations: 0, requests: 0, zpl: 0, pdf: 0, overrides: 0 },
  ]);
  assert.deepEqual([await linesOf(own), await attemptsIn(own), await overridesIn(own)], before);
});

/** So many lines with an address and a guide each. */
async function openWarehouse(t: TestContext, orders: number): Promise<TestApp> {
  const own = await openApp(t, { database: await freshDatabase() });
  const carrier = await startCarrier(t, own.clock);
  const ids = Array.from({ length: orders }, (_, at) => String(at + 1));
  await own.record(ids.map((id) => anOrder({ id })));
  await readyForGuides(own, await Promise.all(ids.map((id) => lineOf(own, id))));
  await connectCarrier(own, own.organization.id, carrier);
  const lines = (await linesOf(own)).map(({ id }) => id);
  for (let at = 0; at < lines.length; at += 30) await document(own, lines.slice(at, at + 30));
  return own;
}

async function document(own: TestApp, lineIds: readonly string[]): Promise<void> {
  const organizationId = own.organization.id;
  const overrides = { destination_tax_id: TAX_ID };
  const order = { lineIds, overrides, idempotencyKey: lineIds.join().slice(0, 100) };
  const { batchId } = await own.app.database
    .within(organizationId)
    .write((scope) => acceptBatch(scope, PACKER, order));
  await runGuides(own.app.exchange, { organizationId, batchId });
}

async function attemptsIn(own: TestApp): Promise<Attempt[]> {
  const organization = own.app.database.within(own.organization.id);
  const found = (await linesOf(own)).map(({ id }) =>
    organization.read((scope) => attemptsOf(scope, id)),
  );
  return (await Promise.all(found)).flat();
}

async function overridesIn(own: TestApp): Promise<unknown[]> {
  const rows = await query(own, 'select id from guide_batches order by id');
  const found = rows.map(({ id }) =>
    own.app.database.within(own.organization.id).read((scope) => batchById(scope, String(id))),
  );
  return (await Promise.all(found)).map(({ overrides }) => overrides);
}

async function destinationsIn(own: TestApp): Promise<(string | undefined)[]> {
  return (await linesOf(own)).map(({ destination }) => destination?.zipcode);
}

/** As a former version stored them. */
async function inClear(own: TestApp): Promise<void> {
  await query(own, 'update guide_batches set overrides = $1, overrides_box = null', [
    JSON.stringify({ destination_tax_id: TAX_ID }),
  ]);
  for (const { id, destination } of await linesOf(own))
    await query(
      own,
      'update warehouse_lines set destination = $2, destination_box = null where id = $1',
      [id, JSON.stringify(destination)],
    );
  for (const { id, request, zpl, pdfBase64 } of await attemptsIn(own))
    await query(
      own,
      `update guide_attempts set request = $2, zpl = $3, pdf_base64 = $4,
              request_box = null, zpl_box = null, pdf_box = null where id = $1`,
      [id, JSON.stringify(request), zpl, pdfBase64],
    );
}
