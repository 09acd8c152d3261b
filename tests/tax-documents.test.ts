import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice } from '../simulators/dice.ts';
import { xmlOf } from '../src/features/cfdi/index.ts';
import { readDocument } from '../src/features/cfdi/xml/read-document.ts';
import { reading } from '../src/features/cfdi/xml/reading.ts';
import type { CfdiRecord, WithholdingRecord } from '../src/features/cfdi/xml/record.ts';
import { DocumentRefusal } from '../src/features/cfdi/xml/refusal.ts';
import { createKey } from '../src/features/keys/index.ts';
import { callApi, openApp } from './support/app.ts';
import { workOff } from './support/market.ts';
import { drawDocument } from './support/tax-documents/draw.ts';
import { drawn } from './support/tax-documents/drawn.ts';
import { expectedOf } from './support/tax-documents/expected.ts';
import { MUTATIONS, mutated, TEXT_MUTATIONS } from './support/tax-documents/mutations.ts';
import { writeDocument } from './support/tax-documents/write.ts';
import { zipOf } from './support/zip.ts';

// Tax documents drawn from the SAT's schemas, as they are and damaged.

const DOCUMENTS = 200;
const SEED = 'documentos fiscales';
/** Those that refuse a document as a whole. */
const TEXT = Object.keys(TEXT_MUTATIONS);

test(`each of ${DOCUMENTS} documents drawn from the SAT's schemas gives its record`, () => {
  for (let at = 0; at < DOCUMENTS; at++) {
    const { type, root, chance } = drawn(SEED, at);
    const bytes = Buffer.from(writeDocument(chance, root));
    assert.deepEqual(readDocument(bytes), expectedOf(root), `${type} ${at}`);
  }
});

test('each mutation of them is read to its record, or set aside with its place', {
  tags: ['slow'],
}, (t) => {
  let [read, refused] = [0, 0];
  for (let at = 0; at < DOCUMENTS; at++) {
    const { root, chance } = drawn(SEED, at);
    for (const name of [0, 1, 2].map((more) => MUTATIONS[(at * 3 + more) % MUTATIONS.length])) {
      const { bytes, outcome } = mutated(chance, root, name ?? '');
      const about = `${name} of ${at}`;
      if ('record' in outcome) {
        assert.deepEqual(readDocument(bytes), outcome.record, about);
        read += 1;
        continue;
      }
      const { reason, path } = outcome.refused;
      const error = refusalOf(bytes, about);
      assert.deepEqual([error.reason, error.path], [reason, path], about);
      refused += 1;
    }
  }
  t.diagnostic(`FIGURE ${DOCUMENTS} documents, mutated: ${read} read, ${refused} set aside`);
  assert.ok(read > DOCUMENTS / 2 && refused > DOCUMENTS / 2, `${read} read, ${refused} refused`);
});

test('a certificate of 10,000 sales and a global invoice of 5,000 lines are read in the bounded thread', {
  tags: ['slow'],
}, async () => {
  const chance = dice(SEED, 'grandes');
  const sales = drawDocument(chance, 'platformCertificate', { DetallesDelServicio: 10_000 });
  const lines = drawDocument(chance, 'invoice', { InformacionGlobal: 1, Concepto: 5_000 });
  const [certificate, invoice] = await reading(async ({ read }) => [
    (await read(Buffer.from(writeDocument(chance, sales)))).record as WithholdingRecord,
    (await read(Buffer.from(writeDocument(chance, lines)))).record as CfdiRecord,
  ]);
  assert.equal(certificate?.platform?.details.length, 10_000);
  assert.equal(invoice?.items.length, 5_000);
  assert.deepEqual(certificate, expectedOf(sales));
  assert.deepEqual(invoice, expectedOf(lines));
});

test('a ZIP of all of them, whole and damaged, is stored byte by byte or set aside', {
  tags: ['slow'],
}, async (t) => {
  const instance = await openApp(t);
  const database = instance.app.database.within(instance.organization.id);
  const { key } = await database.write((scope) =>
    createKey(scope, 'operator', { name: 'carga', scopes: ['cfdi:write'] }),
  );
  const whole = new Map<string, Buffer>();
  const files: Record<string, Buffer> = {};
  let refusals = 0;
  for (let at = 0; at < DOCUMENTS; at++) {
    const { root, chance } = drawn(SEED, at);
    const bytes = Buffer.from(writeDocument(chance, root));
    whole.set(readDocument(bytes).uuid, bytes);
    files[`${at}.xml`] = bytes;
    const { bytes: damaged, outcome } = mutated(chance, root, TEXT[at % TEXT.length] ?? '');
    assert.ok('refused' in outcome);
    files[`${at}-mal.xml`] = damaged;
    refusals += 1;
  }
  const sent = await callApi(
    instance.url,
    '/manage/v1/cfdis',
    {},
    {
      ...{ method: 'POST', key, body: await zipOf(files) },
      headers: { 'content-type': 'application/zip' },
    },
  );
  await workOff(instance);
  const path = `/manage/v1/cfdi-uploads/${sent.body.data.id}`;
  const { added, known, refused } = (await callApi(instance.url, path, {}, { key })).body.data;
  assert.deepEqual({ added, known, refused }, { added: DOCUMENTS, known: 0, refused: refusals });
  assert.deepEqual(await database.read((scope) => xmlOf(scope, [...whole.keys()])), whole);

  // As the former release stored it: unpacked.
  const [[uuid, xml] = assert.fail()] = whole;
  await database.write(async (scope) => {
    const box = (await scope.vault()).seal(['cfdi', uuid, 'xml'], xml);
    await scope.handle.sql('update cfdis set xml_box = $1, xml_size = null where uuid = $2', [
      ...[box, uuid],
    ]);
  });
  assert.deepEqual(await database.read((scope) => xmlOf(scope, [uuid])), new Map([[uuid, xml]]));
});

function refusalOf(bytes: Buffer, about: string): DocumentRefusal {
  try {
    readDocument(bytes);
  } catch (error) {
    if (error instanceof DocumentRefusal) return error;
    throw error;
  }
  return assert.fail(`not refused: ${about}`);
}
