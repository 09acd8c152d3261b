import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { recordInvoices } from '../src/features/cfdi/index.ts';
import { openApp, type TestApp } from './support/app.ts';
import { aCertificate, aCfdi, folioOf as folio } from './support/cfdi-files.ts';
import { runHere } from './support/command.ts';
import { query } from './support/market.ts';
import { zipOf } from './support/zip.ts';

// CFDI and withholding certificates: in by files, and by what marketplaces gave.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const folder = mkdtempSync(join(tmpdir(), 'tianguis-cfdi-'));
const SOURCE = {
  marketplace: 'mercado_libre',
  accountId: '1',
  connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
} as const;
let instance: TestApp;

before(async () => {
  instance = await openApp(whole);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('files come in once; a bad one is set aside with its reason and the others go in', async () => {
  const shop = await openShop();
  const files = [
    file('buena.xml', aCfdi({ uuid: folio(1), total: '116.00' })),
    file('sin.xml', aCfdi({ uuid: null })),
    file('texto.xml', 'no soy un XML'),
    file('constancia.xml', aCertificate({ uuid: folio(2) })),
  ];

  const first = await shop.command(['import-cfdi', ...files, join(folder, 'falta.xml')]);
  const again = await shop.command(['import-cfdi', ...files]);
  const listed = await shop.command(['cfdis']);
  const one = await shop.command(['cfdis', '--uuid', folio(1).toLowerCase()]);
  const other = await (await openShop()).command(['cfdis']);

  assert.equal(first.code, 0);
  assert.deepEqual(first.json, {
    read: 4,
    changed: 2,
    refused: 2,
    errors: [
      {
        file: 'sin.xml',
        message: 'sin_timbre: No tiene timbre fiscal: es un borrador y no un CFDI.',
      },
      {
        file: 'texto.xml',
        message: 'mal_formado: No es un XML válido: puede estar incompleto o dañado.',
      },
      { file: 'falta.xml', message: 'no_se_abre: El archivo no existe o no se puede abrir.' },
    ],
  });
  assert.deepEqual([again.json.changed, again.json.refused], [0, 2]);
  assert.deepEqual(
    listed.json.cfdis.map(({ uuid, total, issued_at }: Record<string, string>) => [
      ...[uuid, total, issued_at],
    ]),
    [[folio(1), '116.00', '2026-11-16T17:59:59.000Z']],
  );
  assert.deepEqual(one.json.cfdis, listed.json.cfdis);
  const { direction, sat_status, order_links, source, sha256 } = one.json.cfdis[0];
  assert.deepEqual(
    { direction, sat_status, order_links, source, sha256 },
    {
      ...{ direction: 'other', sat_status: 'desconocido', order_links: [], source: 'upload' },
      sha256: createHash('sha256')
        .update(readFileSync(String(files[0])))
        .digest('hex'),
    },
  );
  assert.deepEqual(other.json.cfdis, []);
});

test('paths that no file can have are set aside, and names of files end no line of the report', async () => {
  const shop = await openShop();
  const known = file('antes.xml', aCfdi({ uuid: folio(90) }));
  const paths = [join(known, 'dentro.xml'), join(folder, `${'x'.repeat(300)}.xml`)];
  const zip = file('raros.zip', await zipOf({ 'uno\n9 archivos\u001b[2K.txt': 'x' }));
  const run = await shop.command(['import-cfdi', known, ...paths, zip]);
  assert.deepEqual([run.code, run.json.changed, run.json.refused], [0, 1, 1]);
  assert.deepEqual(
    run.json.errors.map(({ message }: { message: string }) => message.split(':')[0]),
    ['no_se_abre', 'no_se_abre', 'no_es_xml'],
  );
  const { stdout } = await runHere(
    ['import-cfdi', '--organization', shop.organizationId, zip],
    instance.env,
  );
  assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
    'raros.zip/uno�9 archivos�[2K.txt: no_es_xml: No es un archivo XML.',
  ]);
});

test('a file whose data the database refuses is set aside, and the others go in', async () => {
  const shop = await openShop();
  const xml = (at: number) => aCfdi({ uuid: folio(20 + at), total: at === 1 ? '666' : '116.00' });
  const files = [0, 1, 2].map((at) => file(`${at}.xml`, xml(at)));
  const invoices = [3, 1, 4].map((at) => ({
    ...{
      id: String(at),
      xml: Buffer.from(xml(at)),
      fileName: null,
      uuid: null,
      url: null,
      issuedAt: null,
    },
    orderIds: ['2000'],
  }));
  await instance.app.database
    .within(shop.organizationId)
    .write((scope) => recordInvoices(scope, SOURCE, invoices));
  await query(instance, 'alter table cfdis add constraint poison check (total <> 666)');
  const { json } = await shop.command(['import-cfdi', ...files]);
  await runHousekeeping(instance.app.exchange);
  const listed = await shop.command(['cfdis']);
  await query(instance, 'alter table cfdis drop constraint poison');

  const message = 'dato_invalido: Un dato falta o no tiene la forma que debe.';
  assert.deepEqual(json, {
    ...{ read: 3, changed: 2, refused: 1 },
    errors: [{ file: '1.xml', message }],
  });
  assert.deepEqual(
    listed.json.cfdis.map(({ uuid }: { uuid: string }) => uuid).sort(),
    [0, 2, 3, 4].map((at) => folio(20 + at)),
  );
});

test('the files of a ZIP come in as those of a folder; one that is damaged is set aside', async () => {
  const shop = await openShop();
  const zip = await zipOf({
    '2026-10/uno.xml': aCfdi({ uuid: folio(41) }),
    'borrador.xml': aCfdi({ uuid: null }),
    'uno.pdf': '%PDF',
    'dos.xml': aCertificate({ uuid: folio(42) }),
    'notas.xml': 'x',
  });
  const files = [
    file('octubre.zip', zip),
    file('roto.zip', zip.subarray(0, -30)),
    file('tres.xml', aCfdi({ uuid: folio(43) })),
  ];

  const { code, json } = await shop.command(['import-cfdi', ...files]);

  assert.equal(code, 0);
  assert.deepEqual(json, {
    ...{ read: 7, changed: 3, refused: 4 },
    errors: [
      {
        file: 'octubre.zip/borrador.xml',
        message: 'sin_timbre: No tiene timbre fiscal: es un borrador y no un CFDI.',
      },
      { file: 'octubre.zip/uno.pdf', message: 'no_es_xml: No es un archivo XML.' },
      {
        file: 'octubre.zip/notas.xml',
        message: 'mal_formado: No es un XML válido: puede estar incompleto o dañado.',
      },
      { file: 'roto.zip', message: 'zip_invalido: El ZIP está dañado o incompleto.' },
    ],
  });
  const { cfdis } = (await shop.command(['cfdis'])).json;
  assert.deepEqual(cfdis.map(({ uuid }: Record<string, string>) => uuid).sort(), [
    folio(41),
    folio(43),
  ]);
});

test('a certificate says what was withheld of which month', async () => {
  const shop = await openShop();
  await shop.command(['import-cfdi', file('c.xml', aCertificate({ uuid: folio(3) }))]);
  const { json } = await shop.command(['withholdings']);
  assert.deepEqual(json.withholdings, [
    {
      uuid: folio(3),
      issuer_rfc: 'PPP010101PPP',
      period: '2026-10',
      isr: '5.03',
      iva: '16.08',
      base: '201.00',
    },
  ]);
});

test('a record that an older release stored has the names of this one', async () => {
  const shop = await openShop();
  await shop.command(['import-cfdi', file('anterior.xml', aCfdi({ uuid: folio(4) }))]);
  const before = await shop.command(['cfdis']);
  const own = [shop.organizationId];
  const [row] = await query(
    instance,
    'select record_box from cfdis where organization_id = $1',
    own,
  );
  const place = ['cfdi', folio(4), 'record'];
  const tenant = instance.app.database.within(shop.organizationId);
  const vault = await tenant.read((scope) => scope.vault());
  const text = vault.open(place, row?.record_box as Buffer).toString();
  assert.match(text, /"is_read":true/);
  const older = vault.seal(place, Buffer.from(text.replaceAll('"is_read"', '"isRead"')));
  await query(instance, 'update cfdis set record_box = $2 where organization_id = $1', [
    ...own,
    older,
  ]);

  const after = await shop.command(['cfdis']);

  assert.deepEqual(after.json, before.json);
  assert.equal(after.json.cfdis[0].complements[0].is_read, true);
});

test('documents of marketplaces are read by the housekeeping: figures in lists, one folio once', async () => {
  const shop = await openShop();
  const { database } = instance.app;
  const invoice = (id: string, xml: string | null, marketplaceUuid: string | null = null) => ({
    ...{ id, fileName: `${id}.xml`, uuid: marketplaceUuid, url: null, issuedAt: null },
    xml: xml === null ? null : Buffer.from(xml),
    orderIds: ['2000'],
  });
  const record = (invoices: Parameters<typeof recordInvoices>[2]) =>
    database.within(shop.organizationId).write((scope) => recordInvoices(scope, SOURCE, invoices));
  const given = [
    invoice('a', aCfdi({ uuid: folio(4), total: '50.00' })),
    invoice('b', '<roto'),
    invoice('c', null, folio(5)),
    invoice('d', aCfdi({ uuid: folio(4), total: '50.00' })),
  ];
  await record(given);
  await runHousekeeping(instance.app.exchange);
  const again = await record(given);
  const { json } = await shop.command(['cfdis']);

  const rows = await database
    .within(shop.organizationId)
    .read((scope) =>
      scope.rows(
        scope
          .select('invoice_documents')
          .select(['id', 'uuid', 'type', 'total', 'issuer_rfc', 'read_failure'])
          .orderBy('id'),
      ),
    );
  assert.deepEqual(
    rows.map((row) => [row.id, row.uuid, row.type, row.total, row.issuer_rfc, row.read_failure]),
    [
      ['a', folio(4), 'ingreso', '50.00', 'AAA010101AAA', null],
      [
        'b',
        null,
        'desconocido',
        null,
        null,
        'No es un XML válido: puede estar incompleto o dañado.',
      ],
      ['c', folio(5), 'desconocido', null, null, null],
      ['d', folio(4), 'ingreso', '50.00', 'AAA010101AAA', null],
    ],
  );
  assert.equal(again, 0, 'what was read does not make the document different');
  assert.deepEqual(
    json.cfdis.map(({ uuid }: { uuid: string }) => uuid),
    [folio(4)],
  );
  await record([invoice('b', aCfdi({ uuid: folio(6) }))]);
  await runHousekeeping(instance.app.exchange);
  assert.equal((await shop.command(['cfdis'])).json.cfdis.length, 2);
});

test('what names people is sealed in the database', async () => {
  const shop = await openShop();
  const xml = aCfdi({ uuid: folio(7) }).replace('PUBLICO EN GENERAL', 'MARCADOR COMPRADOR');
  await shop.command(['import-cfdi', file('m.xml', xml)]);
  const rows = await instance.app.database
    .within(shop.organizationId)
    .read((scope) => scope.rows(scope.select('cfdis').selectAll()));
  assert.equal(rows.length, 1);
  for (const value of Object.values(rows[0] ?? {}))
    assert.equal(
      (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)).includes('MARCADOR'),
      false,
    );
  const { json } = await shop.command(['cfdis']);
  assert.equal(json.cfdis[0].receiver_name, 'MARCADOR COMPRADOR');
});

const SAMPLES = process.env.SAMPLES_DIR ? join(process.env.SAMPLES_DIR, 'cfdi/examples') : '';
const skip = existsSync(SAMPLES) ? false : 'SAMPLES_DIR names no folder with official documents';

test('official samples are read, or refused for their missing stamp', { skip }, async () => {
  const shop = await openShop();
  const files = readdirSync(SAMPLES).filter((name) => name.endsWith('.xml'));
  const paths = files.map((name) => join(SAMPLES, name));
  const { json } = await shop.command(['import-cfdi', ...paths]);
  const listed = await shop.command(['cfdis']);
  const stamped = files.filter((name) => !name.includes('sin-timbre'));
  assert.deepEqual([json.read, json.changed], [files.length, stamped.length]);
  assert.ok(
    json.errors.every(({ message }: { message: string }) => message.startsWith('sin_timbre')),
  );
  for (const name of stamped) {
    const text = readFileSync(join(SAMPLES, name), 'utf8');
    const uuid = /UUID="([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toUpperCase();
    const found = listed.json.cfdis.find((one: { uuid: string }) => one.uuid === uuid);
    assert.equal(found?.total, / Total="([^"]+)"/.exec(text)?.[1], name);
    assert.equal(found?.items.length, text.match(/<cfdi:Concepto /g)?.length, name);
  }
});

async function openShop() {
  const { organization } = await instance.tenant();
  return {
    organizationId: organization.id,
    command([name = '', ...rest]: string[]) {
      return runHere([name, '--organization', organization.id, '--json', ...rest], instance.env);
    },
  };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
