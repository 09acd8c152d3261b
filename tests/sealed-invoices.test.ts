import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { invoicesOfOrder, recordInvoices } from '../src/features/cfdi/index.ts';
import { openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';
import { endUpdatesOf } from './support/unsealed.ts';

// The XML of CFDI that marketplaces give is sealed with the key of their organisation.

const SOURCE = {
  marketplace: 'mercado_libre',
  accountId: '1',
  connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
} as const;
const BUYER = 'MARCADOR COMPRADOR';
const ORDER = '2000';
const STATE = `select count(xml)::int as clear, count(xml_box)::int as sealed, count(read_failure)::int as refused,
    sum(coalesce(octet_length(xml), xml_bytes))::int as bytes from invoice_documents`;

test('a dump of the database shows nothing of the XML of a CFDI, before it is read and afterwards', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const xml = xmlOf(1);

  assert.equal(await record(own, 1), 1);
  const unread = shownIn(await dumpOf(own), new Set([BUYER]));
  await runHousekeeping(own.app.exchange);
  const read = shownIn(await dumpOf(own), new Set([BUYER]));

  assert.deepEqual([unread, read], [[], []]);
  assert.deepEqual(await stored(own), [xml], 'it opens byte for byte');
  const bytes = Buffer.byteLength(xml);
  assert.deepEqual(await query(own, STATE), [{ clear: 0, sealed: 1, refused: 0, bytes }]);
  assert.equal((await query(own, 'select from cfdis')).length, 1);
  assert.equal(await record(own, 1), 0, 'the same XML changes nothing');
});

test('an XML opens for no other document, and is read when its marketplace gives it again', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  await record(own, 2);
  await query(
    own,
    `update invoice_documents d set xml_box = o.xml_box from invoice_documents o where o.id <> d.id`,
  );

  await runHousekeeping(own.app.exchange);
  assert.deepEqual(await stored(own), [null, null]);
  const [row] = await query(own, 'select read_failure from invoice_documents');
  assert.match(String(row?.read_failure), /no se puede descifrar/);

  assert.equal(await record(own, 2), 2);
  await runHousekeeping(own.app.exchange);
  assert.deepEqual(await stored(own), [xmlOf(1), xmlOf(2)]);
  assert.equal((await query(own, 'select from cfdis')).length, 2);
});

test('the XML that a former version stored in clear is read, and sealed by the housekeeping, which goes on where it was killed', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  await record(own, 50);
  const before = await stored(own);
  await inClear(own, before);
  const [{ bytes } = {}] = await query(own, STATE);
  assert.deepEqual(await query(own, STATE), [{ clear: 50, sealed: 0, refused: 0, bytes }]);
  assert.deepEqual(await stored(own), before, 'in clear it opens, too');

  const goOn = await endUpdatesOf(
    own,
    'invoice_documents',
    "new.id = '50' and old.xml is not null and new.xml is null",
  );
  await runHousekeeping(own.app.exchange);
  assert.deepEqual(await query(own, STATE), [{ clear: 10, sealed: 40, refused: 0, bytes }]);
  await goOn();
  await runHousekeeping(own.app.exchange);

  assert.deepEqual(await query(own, STATE), [{ clear: 0, sealed: 50, refused: 0, bytes }]);
  assert.deepEqual(await stored(own), before);
  assert.equal((await query(own, 'select from cfdis')).length, 50);
  assert.equal(await record(own, 50), 0, 'the digests are those of the XML');
});

test('an XML that is still in clear is replaced by a sealed one when it is given again', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  await record(own, 1);
  await inClear(own, await stored(own));
  await record(own, 1);
  assert.deepEqual(shownIn(await dumpOf(own), new Set([BUYER])), []);
  assert.deepEqual(await stored(own), [xmlOf(1)]);
});

function xmlOf(number: number): string {
  return aCfdi({ uuid: folioOf(number) }).replace('PUBLICO EN GENERAL', BUYER);
}

/** Documents 01, 02 …, all of one order. @returns how many were new or different */
function record(own: TestApp, count: number): Promise<number> {
  const documents = Array.from({ length: count }, (_, at) => ({
    ...{ id: idOf(at + 1), xml: Buffer.from(xmlOf(at + 1)), orderIds: [ORDER] },
    ...{ fileName: null, uuid: null, url: null, issuedAt: null },
  }));
  return own.app.database
    .within(own.organization.id)
    .write((scope) => recordInvoices(scope, SOURCE, documents));
}

async function stored(own: TestApp): Promise<(string | null)[]> {
  const documents = await own.app.database
    .within(own.organization.id)
    .read((scope) => invoicesOfOrder(scope, { ...SOURCE, id: ORDER }));
  return documents
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ xml }) => xml && Buffer.from(xml).toString());
}

/** As a former version stored them. */
async function inClear(own: TestApp, xmls: readonly (string | null)[]): Promise<void> {
  for (const [at, xml] of xmls.entries())
    await query(
      own,
      `update invoice_documents
          set xml = $2, xml_box = null, xml_digest = null, xml_bytes = null where id = $1`,
      [idOf(at + 1), xml],
    );
}

function idOf(number: number): string {
  return String(number).padStart(2, '0');
}
