import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { keepUpload, reading, readUpload, uploadOf, xmlOf } from '../src/features/cfdi/index.ts';
import { packFile } from '../src/features/cfdi/upload/files.ts';
import { createKey, type KeyScope } from '../src/features/keys/index.ts';
import { type ApiOptions, callApi, openApp, type TestApp } from './support/app.ts';
import { aCertificate, aCfdi, folioOf } from './support/cfdi-files.ts';
import { query, workOff } from './support/market.ts';
import { waitingCfdis } from './support/waiting-cfdis.ts';
import { zipOf } from './support/zip.ts';

// `/manage/v1/cfdis`: CFDI in by a key, as XML or ZIP.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const CFDIS = '/manage/v1/cfdis';
type Body = NonNullable<ApiOptions['body']>;
const XML = { 'content-type': 'application/xml' };
const ZIP = { 'content-type': 'application/zip' };
let instance: TestApp;
let key: string;

before(async () => {
  instance = await openApp(whole);
  key = await keyWith(['cfdi:write']);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('an XML and a ZIP come in; a bad file is set aside with its reason and the others go in', {
  tags: ['slow'],
}, async () => {
  const one = await upload(aCfdi({ uuid: folioOf(1) }), { headers: XML });
  assert.equal(one.status, 202);
  assert.deepEqual(await ended(one), { files: 1, added: 1, known: 0, refused: 0, errors: [] });

  const zip = await zipOf({
    'octubre/buena.xml': aCfdi({ uuid: folioOf(2) }),
    'repetida.xml': aCfdi({ uuid: folioOf(2), sku: 'OTRA' }),
    'guardada.xml': aCfdi({ uuid: folioOf(1) }),
    'constancia.xml': aCertificate({ uuid: folioOf(3) }),
    'borrador.xml': aCfdi({ uuid: null }),
    'representación.pdf': '%PDF',
    'doctype.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
    '__MACOSX/octubre/._buena.xml': 'Mac OS X',
    'octubre/._suelta.xml': 'Mac OS X',
    'octubre/.DS_Store': 'Bud1',
    'octubre/Thumbs.db': '',
  });
  const many = await upload(zip, { headers: ZIP });
  const { errors, ...counts } = await ended(many);
  assert.deepEqual(counts, { files: 7, added: 2, known: 2, refused: 3 });
  assert.deepEqual(
    errors.map(({ file, reason }: Record<string, string>) => [file, reason]),
    [
      ['borrador.xml', 'sin_timbre'],
      ['representación.pdf', 'no_es_xml'],
      ['doctype.xml', 'doctype'],
    ],
  );
  const { app, organization } = instance;
  const kept = await app.database
    .within(organization.id)
    .read((scope) => xmlOf(scope, [folioOf(2)]));
  assert.equal(String(kept.get(folioOf(2))), aCfdi({ uuid: folioOf(2) }), 'the first stays');
  const [stored] = await query(
    instance,
    `select count(*)::int as files, count(packed_box)::int as kept,
            bool_or(position('borrador'::bytea in name_box) > 0) as named from cfdi_upload_files`,
  );
  assert.deepEqual(stored, { files: 8, kept: 0, named: false });
});

test('a file whose data the database refuses is set aside, and the others go in', async () => {
  await query(instance, 'alter table cfdis add constraint poison check (total <> 666)');
  const files = Array.from({ length: 9 }, (_, at) => [
    `${at}.xml`,
    aCfdi({ uuid: folioOf(60 + at), total: at % 5 === 2 ? '666.00' : '116.00' }),
  ]);
  const rfc = 'A'.repeat(4_000);
  const other = aCfdi({ uuid: folioOf(70) }).replace(/Rfc="[^"]*"/, `Rfc="${rfc}"`);
  const zip = await zipOf({ ...Object.fromEntries(files), 'largo.xml': other });
  const { errors, ...counts } = await ended(await upload(zip, { headers: ZIP }));
  await query(instance, 'alter table cfdis drop constraint poison');
  assert.deepEqual(counts, { files: 10, added: 7, known: 0, refused: 3 });
  assert.deepEqual(
    errors.map(({ file, reason }: Record<string, string>) => [file, reason]),
    [
      ['2.xml', 'dato_invalido'],
      ['7.xml', 'dato_invalido'],
      ['largo.xml', 'dato_invalido'],
    ],
  );
});

test('an upload whose job is gone, as after a restore, is read after the next housekeeping', async () => {
  const file = packFile('a.xml', Buffer.from(aCfdi({ uuid: folioOf(50) })));
  const { app, organization } = instance;
  const id = await app.database.within(organization.id).write((scope) => keepUpload(scope, [file]));
  const kept = await call(`/manage/v1/cfdi-uploads/${id}`);
  assert.equal(kept.body.data.read, 0);
  await runHousekeeping(instance.app.exchange);
  assert.equal((await ended(kept)).added, 1);
});

test('an upload that two processes read at one moment is read once, and fails in neither', async () => {
  const { app, organization } = instance;
  const within = app.database.within(organization.id);
  const files = [80, 81].map((number) =>
    packFile(`${number}.xml`, Buffer.from(aCfdi({ uuid: folioOf(number) }))),
  );
  const id = await within.write((scope) => keepUpload(scope, files));
  await reading(async (reader) => {
    const slow = {
      ...reader,
      // The other process begins later, and ends sooner.
      readPacked: async (packed: Parameters<typeof reader.readPacked>[0]) => {
        await readUpload(within, reader, id, []);
        return reader.readPacked(packed);
      },
    };
    await readUpload(within, slow, id, []);
  });
  const { errors, ...counts } = (await within.read((scope) => uploadOf(scope, id))) ?? {};
  assert.deepEqual(counts, { id, files: 2, waiting: 0, added: 2, known: 0, refused: 0 });
});

test('uploads with one Idempotency-Key are one upload', async () => {
  const headers = { ...XML, 'idempotency-key': 'carga-1' };
  const xml = aCfdi({ uuid: folioOf(10) });
  const answers = await Promise.all([1, 2].map(() => upload(xml, { headers })));
  assert.equal(answers[0]?.body.data.id, answers[1]?.body.data.id);
  const other = await upload(aCfdi({ uuid: folioOf(11) }), { headers });
  assert.deepEqual([other.status, other.body.error.code], [409, 'idempotency_key_reused']);
});

test('what is no file, too large, or not allowed is refused with what to do', {
  tags: ['slow'],
}, async () => {
  const xml = aCfdi({ uuid: folioOf(20) });
  const codeOf = async (body: Body, options: ApiOptions) => {
    const { status, body: answer } = await upload(body, options);
    return [status, answer.error.code];
  };
  assert.deepEqual(await codeOf('{}', { headers: { 'content-type': 'application/json' } }), [
    400,
    'invalid_request',
  ]);
  assert.deepEqual(await codeOf('', { headers: XML }), [400, 'invalid_request']);
  assert.deepEqual(await codeOf('PK\u0003\u0004roto', { headers: ZIP }), [400, 'invalid_request']);
  const large = new Uint8Array(32 * 1_024 * 1_024 + 1);
  assert.deepEqual(await codeOf(large, { headers: XML }), [413, 'payload_too_large']);
  const reader = await keyWith(['orders:read', 'cfdi:read']);
  const refused = await upload(xml, { headers: XML, key: reader });
  assert.deepEqual(
    [refused.status, refused.body.error?.details],
    [403, { required_scope: 'cfdi:write' }],
  );
  const [stored] = await query(
    instance,
    `select count(*)::int as files from cfdi_upload_files where asked_at > now()`,
  );
  assert.deepEqual(stored, { files: 0 });
});

test('an upload is seen by its organisation alone', async () => {
  const { body } = await upload(aCfdi({ uuid: folioOf(30) }), { headers: XML });
  const { organization } = await instance.tenant();
  const theirs = await keyWith(['cfdi:write'], organization.id);
  const seen = await call(`/manage/v1/cfdi-uploads/${body.data.id}`, { key: theirs });
  assert.deepEqual([seen.status, seen.body.error.code], [404, 'not_found']);
  assert.equal((await call('/manage/v1/cfdi-uploads/x')).status, 404);
});

test('files that wait are limited, by number and by size, for each organisation alone', {
  tags: ['slow'],
}, async () => {
  const { organization } = await instance.tenant();
  const own = await keyWith(['cfdi:write'], organization.id);
  const send = async (...folios: number[]) => {
    const files = folios.map((at) => [`${at}.xml`, aCfdi({ uuid: folioOf(at) })]);
    const { status, body } = await upload(await zipOf(Object.fromEntries(files)), {
      headers: ZIP,
      key: own,
    });
    return [status, body.error?.code ?? null];
  };
  const waiting = waitingCfdis(instance, organization.id);
  await waiting.add(9_999, "''");
  assert.deepEqual(await send(41, 42), [409, 'cfdi_upload_limit_reached']);
  assert.deepEqual(await send(41), [202, null]);
  assert.equal((await upload(aCfdi({ uuid: folioOf(43) }), { headers: XML })).status, 202);
  await waiting.remove();
  await waiting.add(1, `convert_to(repeat('0', ${128 * 1_024 * 1_024 - 100}), 'UTF8')`);
  assert.deepEqual(await send(44), [409, 'cfdi_upload_limit_reached']);
  await waiting.remove();
  assert.deepEqual(await send(44), [202, null]);
});

function upload(body: Body, options: ApiOptions) {
  return call(CFDIS, { method: 'POST', ...options, body });
}

function call(path: string, options: ApiOptions = {}) {
  return callApi(instance.url, path, {}, { key, ...options });
}

async function ended({ body }: Awaited<ReturnType<typeof call>>) {
  const path = `/manage/v1/cfdi-uploads/${body.data.id}`;
  await workOff(instance);
  const { id, state, read, ...rest } = (await call(path)).body.data;
  assert.deepEqual([id, state, read], [body.data.id, 'done', rest.files]);
  return rest;
}

async function keyWith(scopes: KeyScope[], organizationId = instance.organization.id) {
  const { key: made } = await instance.app.database
    .within(organizationId)
    .write((scope) => createKey(scope, 'operator', { name: 'carga', scopes }));
  return made;
}
