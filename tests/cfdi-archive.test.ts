import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { filesOf } from '../src/features/cfdi/upload/archive.ts';
import { type PackedFile, packFile, unpackFile } from '../src/features/cfdi/upload/files.ts';
import { DocumentRefusal } from '../src/features/cfdi/xml/refusal.ts';
import { Failure } from '../src/platform/failure.ts';
import { claiming, rewritten, zipOf } from './support/zip.ts';

const XML = '<a>contenido que se repite, contenido que se repite</a>';

test('an XML is one file, and a ZIP the files in it, folders left out', async () => {
  const alone = await unpackedOf(Buffer.from(XML), 'uno.xml');
  const zip = await zipOf({ 'uno.xml': XML, '2026-10/dos.XML': `${XML} `, 'ñandú.xml': 'x' });
  assert.deepEqual(alone, { 'uno.xml': XML });
  assert.deepEqual(await unpackedOf(zip), {
    'uno.xml': XML,
    '2026-10/dos.XML': `${XML} `,
    'ñandú.xml': 'x',
  });
  const stored = await zipOf({ 'uno.xml': XML }, { compress: false });
  assert.deepEqual(await unpackedOf(stored), { 'uno.xml': XML });
});

test('files that are no XML, or whose path leads out, are set aside and the others go in', async () => {
  const zip = await zipOf({ 'uno.xml': XML, 'uno.pdf': '%PDF', 'aa/bbb.xml': XML, 'a/c.xml': XML });
  const bad = rewritten(rewritten(zip, 'aa/bbb.xml', '../../b.xml'.slice(1)), 'a/c.xml', '/ac.xml');
  assert.deepEqual(await reasonsOf(bad), ['-', 'no_es_xml', 'ruta_insegura', 'ruta_insegura']);
});

test('folders may be written with backslashes, and lead out with them no more than without', async () => {
  for (const [name, reason] of [
    ['10\\a.xml', '-'],
    ['..\\a.xml', 'ruta_insegura'],
    ['C:\\a.xml', 'ruta_insegura'],
    ['\\10a.xml', 'ruta_insegura'],
  ] as const) {
    const zip = rewritten(await zipOf({ '10-a.xml': XML }), '10-a.xml', name);
    assert.deepEqual(await reasonsOf(zip), [reason], name);
  }
});

test('a bomb is refused by what its list says, and never unpacked beyond it', {
  tags: ['slow'],
}, async () => {
  const { length } = XML;
  const one = await zipOf({ 'a.xml': XML });
  const MEGABYTE = 1_024 * 1_024;
  assert.deepEqual(await reasonsOf(claiming(one, length, 26 * MEGABYTE)), ['demasiado_grande']);
  assert.deepEqual(await reasonsOf(claiming(one, length, MEGABYTE)), ['compresion_excesiva']);
  const five = await zipOf(
    Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`${at}.xml`, XML] as const)),
  );
  await refused(claiming(five, length, 24 * MEGABYTE), /100 MB/);
  const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`${at}.xml`, 'x']));
  await refused(await zipOf(many), /2,000 archivos/);

  // Says 10 bytes and unpacks to a million.
  const lying: PackedFile = { ...packFile('a.xml', Buffer.alloc(MEGABYTE, 32)), size: 10 };
  assert.throws(() => unpackFile(lying), isDamaged);
});

test('a file that is not what its archive says is set aside', async () => {
  const bytes = Buffer.from(XML);
  const good = packFile('a.xml', bytes);
  assert.equal(unpackFile(good).toString(), XML);
  assert.throws(() => unpackFile({ ...good, crc: crc32('otra cosa') }), isDamaged);
  assert.throws(() => unpackFile({ ...good, size: good.size + 1 }), isDamaged);
  assert.throws(
    () => unpackFile({ ...good, packed: deflateRawSync(bytes).subarray(2) }),
    isDamaged,
  );
});

test('a file whose own header is damaged is set aside, and the others go in', async () => {
  const zip = await zipOf({ 'uno.xml': XML, 'dos.xml': XML, 'tres.xml': XML });
  const second = zip.indexOf('dos.xml') - 30;
  zip.write('XX', second, 'latin1');
  assert.deepEqual(await reasonsOf(zip), ['-', 'danado', '-']);
});

test('an archive that is cut off or empty is refused as a whole', async () => {
  const zip = await zipOf({ 'uno.xml': XML });
  await refused(zip.subarray(0, -10), /dañado o incompleto/);
  await refused(await zipOf({}), /no trae archivos/);
});

test('files that share their bytes are a bomb', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `${String(at).padStart(2, '0')}.xml`);
  const zip = await zipOf(Object.fromEntries(names.map((name) => [name, XML.repeat(100)])));
  const packed = deflateRawSync(Buffer.from(XML.repeat(100))).byteLength;
  const shared = claiming(zip, packed, Math.floor(zip.byteLength / 2));
  assert.notDeepEqual(shared, zip);
  await refused(shared, /100 MB|dañado/);
});

async function unpackedOf(bytes: Buffer, name = ''): Promise<Record<string, string>> {
  const files = (await filesOf(bytes, name)) as PackedFile[];
  return Object.fromEntries(files.map((file) => [file.name, unpackFile(file).toString()]));
}

async function reasonsOf(bytes: Buffer): Promise<string[]> {
  const files = await filesOf(bytes, '');
  return files.map((file) => ('refusal' in file ? file.refusal.reason : '-'));
}

async function refused(bytes: Buffer, says: RegExp): Promise<void> {
  await assert.rejects(filesOf(bytes, ''), (error) => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, says);
    return true;
  });
}

function isDamaged(error: unknown): boolean {
  return error instanceof DocumentRefusal && error.reason === 'danado';
}
