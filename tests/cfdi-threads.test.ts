import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packFile } from '../src/features/cfdi/upload/files.ts';
import { type DocumentReader, reading } from '../src/features/cfdi/xml/reading.ts';
import { DocumentRefusal } from '../src/features/cfdi/xml/refusal.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';

// The thread that reads documents goes from one work to the next.

const fileOf = (at: number) => packFile(`${at}.xml`, Buffer.from(aCfdi({ uuid: folioOf(at) })));

test('one after the other, files are read in the same thread, each with the bytes it was read from', async () => {
  for (const count of [1, 3, 1]) {
    const files = Array.from({ length: count }, (_, at) => fileOf(at));
    const bytes = files.map(({ packed }) => Buffer.from(packed));
    const found = await reading((reader) => reader.readPacked(files));
    assert.deepEqual(
      found.map((one) => one instanceof DocumentRefusal || [one.record.uuid, [...one.xml.packed]]),
      bytes.map((packed, at) => [folioOf(at), [...packed]]),
    );
  }
});

test('the answer to work that was cut short is given to no other work', async () => {
  const cutShort = reading(async (reader: DocumentReader) => {
    void reader.readPacked([fileOf(1), fileOf(2)]);
    throw new Error('cut short');
  });
  await assert.rejects(cutShort, /cut short/);

  const [found] = await reading((reader) => reader.readPacked([fileOf(3)]));

  assert.ok(found && !(found instanceof DocumentRefusal));
  assert.equal(found.record.uuid, folioOf(3));
});

test('files that are parts of one small archive are read one after the other', async () => {
  const [one, two] = [fileOf(1), fileOf(2)];
  const { buffer } = Uint8Array.from([...one.packed, ...two.packed]);
  const parts = [
    { ...one, packed: Buffer.from(buffer, 0, one.packed.length) },
    { ...two, packed: Buffer.from(buffer, one.packed.length) },
  ];
  const found = await reading(async (reader) => [
    ...(await reader.readPacked(parts.slice(0, 1))),
    ...(await reader.readPacked(parts.slice(1))),
  ]);
  assert.deepEqual(
    found.map((file) => file instanceof DocumentRefusal || file.record.uuid),
    [folioOf(1), folioOf(2)],
  );
});
