import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { recordCfdis, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { withheldPeriods } from '../src/features/findings/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { openApp, type TestApp } from './support/app.ts';
import { aCertificate, folioOf } from './support/cfdi-files.ts';
import { query } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';

// Withheld taxes by month: the ledger, the certificates, and their difference.

const ZONE = 'America/Mexico_City';

test('a month has what the ledger withheld, its certificates and the exact difference', async (t) => {
  const instance = await openApp(t);
  await withhold(instance, [
    // The last hour of October in Mexico is in November by UTC.
    ['isr', '-5.00', '2026-11-01T05:30:00Z'],
    ['iva', '-16.08', '2026-10-02T00:00:00Z'],
    ['isr', '-9.99', '2026-11-01T06:30:00Z'],
    ['isr', '9.99', '2026-11-02T06:30:00Z'],
    ['withheld', '-3.10', '2026-09-10T00:00:00Z'],
    ['commission', '-70.00', '2026-09-10T00:00:00Z'],
  ]);
  assert.deepEqual(
    (await periodsOf(instance)).map(({ period, certifiedTotal, difference }) => [
      period,
      certifiedTotal,
      difference,
    ]),
    [
      ['2026-10', null, null],
      ['2026-09', null, null],
    ],
  );

  await certify(instance);

  const [october, september] = await periodsOf(instance);
  assert.deepEqual(
    [october?.ledgerTotal, october?.certifiedTotal, october?.difference].map(Number),
    [21.08, 21.11, 0.03],
  );
  assert.deepEqual(
    october?.ledger.map(({ marketplace, isr, iva, unnamed }) => [
      marketplace,
      ...[isr, iva, unnamed].map(Number),
    ]),
    [['amazon', 5, 16.08, 0]],
  );
  assert.deepEqual(
    october?.certificates.map(({ uuid, isr, iva, base }) => [
      uuid,
      ...[isr, iva, base].map(Number),
    ]),
    [[folioOf(7), 5.03, 16.08, 201]],
  );
  assert.deepEqual(
    [september?.period, Number(september?.ledger[0]?.unnamed), september?.difference],
    ['2026-09', 3.1, null],
  );
});

test('a certificate for another taxpayer is not compared', async (t) => {
  const instance = await openApp(t);
  await withhold(instance, [['isr', '-5.03', '2026-10-05T00:00:00Z']]);
  await certify(instance);
  await instance.app.database.within(instance.organization.id).write((scope) =>
    setFiscalProfile(scope, 'operator', {
      person: 'natural',
      regime: null,
      hasBorderVat: false,
      rfcs: ['CACX7605101P8'],
    }),
  );

  const [october] = await periodsOf(instance);
  assert.deepEqual([october?.certificates, october?.difference], [[], null]);
});

test('a certificate that its issuer replaced does not count; another issuer replaces nothing', async (t) => {
  const instance = await openApp(t);
  await certify(instance);
  const replacing = (uuid: string, issuer: string) =>
    aCertificate({ uuid })
      .replace('PPP010101PPP', issuer)
      .replace(
        '<retenciones:Emisor',
        `<retenciones:CfdiRetenRelacionados TipoRelacion="01" UUID="${folioOf(7)}"/>$&`,
      );
  const foliosOf = async () =>
    (await periodsOf(instance))[0]?.certificates.map(({ uuid }) => uuid).sort();
  await certify(instance, replacing(folioOf(8), 'QQQ010101QQQ'));
  assert.deepEqual(await foliosOf(), [folioOf(7), folioOf(8)]);
  await certify(instance, replacing(folioOf(9), 'PPP010101PPP'));
  assert.deepEqual(await foliosOf(), [folioOf(8), folioOf(9)]);
});

test('a certificate that was replaced does not count, whatever replaced it', async (t) => {
  const instance = await openApp(t);
  await withhold(instance, [['isr', '-5.03', '2026-10-05T00:00:00Z']]);
  const own = (uuid: string, receiver: string, replaces?: string) => {
    const text = aCertificate({ uuid }).replace(OWN_RFC, receiver);
    const related = `<retenciones:CfdiRetenRelacionados TipoRelacion="01" UUID="${replaces}"/>$&`;
    return replaces ? text.replace('<retenciones:Emisor', related) : text;
  };
  await certify(instance, own(folioOf(7), OWN_RFC));
  await instance.app.database.within(instance.organization.id).write((scope) =>
    setFiscalProfile(scope, 'operator', {
      ...{ person: 'natural', regime: null, hasBorderVat: false, rfcs: [OWN_RFC] },
    }),
  );
  const folios = async () =>
    (await periodsOf(instance))[0]?.certificates.map(({ uuid }) => uuid).sort();
  assert.deepEqual(await folios(), [folioOf(7)]);

  // It was made out to another taxpayer by mistake, and corrected.
  await certify(instance, own(folioOf(8), 'CACX7605101P8', folioOf(7)));
  assert.deepEqual(await folios(), []);
  await certify(instance, own(folioOf(9), OWN_RFC, folioOf(8)));
  assert.deepEqual(await folios(), [folioOf(9)]);
});

test('certificates are not opened again; those of a former release until they are completed', async (t) => {
  const instance = await openApp(t);
  const before = aCertificate({ uuid: folioOf(7) });
  const related = `<retenciones:CfdiRetenRelacionados TipoRelacion="01" UUID="${folioOf(7)}"/>$&`;
  await certify(instance, before.replace('CveRetenc="26"', 'CveRetenc="16"'));
  await certify(instance, aCertificate({ uuid: folioOf(8) }));
  await certify(
    instance,
    aCertificate({ uuid: folioOf(9) })
      .replace('<retenciones:Emisor', related.replace(folioOf(7), folioOf(8)))
      .replace('MontoRet="5.03"', 'MontoRet="6.03"'),
  );
  const [month] = await periodsOf(instance);
  assert.deepEqual(
    month?.certificates.map(({ uuid, isr, base }) => [uuid, Number(isr), Number(base)]),
    [[folioOf(9), 6.03, 201]],
  );
  const facts = 'withheld, period, isr, iva, is_of_platform, replaces';
  const own = (text: string, ...values: unknown[]) =>
    query(instance, text, [instance.organization.id, ...values]);
  const stored = () =>
    own(`select uuid, ${facts} from cfdis where organization_id = $1 order by uuid`);
  const [first, sealed] = [
    await stored(),
    await own('select uuid, record_box from cfdis where organization_id = $1'),
  ];

  await own(`update cfdis set record_box = '\\x00' where organization_id = $1`);
  assert.deepEqual(await periodsOf(instance), [month]);

  await own(`update cfdis set (${facts}) = (select null::numeric, null, null::numeric,
    null::numeric, null::boolean, null) where organization_id = $1`);
  await assert.rejects(periodsOf(instance));
  for (const { uuid, record_box } of sealed)
    await own(
      'update cfdis set record_box = $2 where organization_id = $1 and uuid = $3',
      ...[record_box, uuid],
    );
  assert.deepEqual(await periodsOf(instance), [month]);
  await runHousekeeping(instance.app.exchange);
  assert.deepEqual(await stored(), first);
});

// Arrangement

/** To which certificates are made out. */
const OWN_RFC = 'AAAA010101AAA';

type Withheld = readonly [
  kind: 'isr' | 'iva' | 'withheld' | 'commission',
  amount: string,
  at: string,
];

function withhold({ app, organization }: TestApp, withheld: readonly Withheld[]) {
  const movements = withheld.map(([kind, amount, at], index) => ({
    ...{ kind, amount: decimal(amount), currency: 'MXN', at: Temporal.Instant.from(at) },
    ...{ key: String(index), nativeType: kind, orderId: null, payoutId: null, isOpen: false },
  }));
  const source = { marketplace: 'amazon', accountId: 'A1', connectionId: newId() } as const;
  const ledger = { id: '1', report: 'transactions', covers: null, changedAt: null, opening: null };
  return app.database
    .within(organization.id)
    .write((scope) => recordLedgers(scope, source, [{ ...ledger, movements }]));
}

function certify({ app, organization }: TestApp, text = aCertificate({ uuid: folioOf(7) })) {
  const xml = Buffer.from(text);
  return app.database
    .within(organization.id)
    .write((scope) => recordCfdis(scope, 'upload', [readCfdi(xml)], []));
}

function periodsOf({ app, organization }: TestApp) {
  return app.database.within(organization.id).read((scope) => withheldPeriods(scope, ZONE));
}
