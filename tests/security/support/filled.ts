import { raiseAlert } from '../../../src/features/alerts/index.ts';
import { recordBalances, recordSettlements } from '../../../src/features/balances/index.ts';
import { keepUpload, recordCfdis } from '../../../src/features/cfdi/index.ts';
import { packFile } from '../../../src/features/cfdi/upload/files.ts';
import { saveConnection } from '../../../src/features/connections/index.ts';
import { recordStock } from '../../../src/features/inventory/index.ts';
import { createKey, KEY_SCOPES } from '../../../src/features/keys/index.ts';
import { changePlan } from '../../../src/features/organizations/index.ts';
import { invite } from '../../../src/features/people/index.ts';
import { recordShipments } from '../../../src/features/shipments/index.ts';
import { recordProducts } from '../../../src/features/warehouse/index.ts';
import { createEndpoint, sendTest } from '../../../src/features/webhooks-out/index.ts';
import type { WriteScope } from '../../../src/platform/db/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { decimal } from '../../../src/platform/money.ts';
import { anOrder, type TestApp } from '../../support/app.ts';
import { aCfdi } from '../../support/cfdi-files.ts';
import { jobsDone } from '../../support/market.ts';
import { openPanel } from '../../support/panel.ts';
import type { Known, Team } from '../../support/people.ts';
import { readCfdi } from '../../support/read-cfdi.ts';
import { parcel } from '../../support/read-rows.ts';
import { aPayout } from '../../support/settlement.ts';
import { ADDRESS, CUP, stageLine } from '../../support/warehouse.ts';

/** An organisation with one of everything, and the ids by which others may try to reach it. */
export interface Filled {
  readonly owner: Known;
  readonly organizacion: string;
  readonly key: string;
  readonly ids: Readonly<Record<FilledId, string>>;
}

const FILLED_IDS = [
  'attempt',
  'batch',
  'connection',
  'endpoint',
  'event',
  'export',
  'finding',
  'invitation',
  'job',
  'key',
  'line',
  'order',
  'parcel',
  'payout',
  'person',
  'sku',
  'upload',
  'uuid',
] as const;
export type FilledId = (typeof FILLED_IDS)[number];

/** What the parts of an organisation are filled with. */
interface Place {
  readonly instance: TestApp;
  readonly team: Team;
  /** A word in capitals that every text of it holds. */
  readonly mark: string;
}

export async function fill(instance: TestApp, team: Team, mark: string): Promise<Filled> {
  const { owner, organizacion, join } = team;
  const { database } = instance.app;
  const place = { instance, team, mark };
  await database.write((handle) =>
    changePlan(handle, instance.clock, {
      organizationId: organizacion,
      plan: 'experto',
      quota: null,
    }),
  );
  const goods = await sell(place);
  const within = database.within(organizacion);
  await within.write((scope) => earn(scope, place));
  const uuid = newId().toUpperCase();
  const upload = await within.write((scope) => invoice(scope, uuid));
  const { key, keyText, ...machines } = await within.write((scope) => connect(scope, place));
  const ids = {
    ...goods,
    ...machines,
    ...(await packGoods(place, goods.line)),
    finding: await within.write((scope) => find(scope, place)),
    uuid,
    upload,
    key,
    export: await startExport(place, keyText),
    person: (await join('member')).personId,
  };
  await jobsDone(instance);
  return { owner, organizacion, key: keyText, ids };
}

async function sell({ instance, team: { organizacion }, mark }: Place) {
  const [sku, order] = [`${mark}-SKU`, `${mark}-1`];
  const line = await stageLine(instance, organizacion, order, {
    sku,
    title: `Taza ${mark}`,
    destination: { ...ADDRESS, name: `Comprador ${mark}` },
  });
  await instance.record([anOrder({ id: `${mark}-3`, buyerName: mark })], organizacion);
  return { sku, order, line };
}

async function earn(scope: WriteScope, { instance, mark }: Place): Promise<void> {
  const now = instance.clock.now();
  const account = { accountId: '468424240', connectionId: newId() };
  const level = { variationId: '', warehouse: 'seller', available: 3, unavailable: 0 } as const;
  const money = { available: decimal('900'), pending: null, isDerived: false };
  const silent = { announce: false };
  await recordProducts(scope, [{ ...CUP, sku: `${mark}-SKU`, title: mark }]);
  await recordStock(
    scope,
    { marketplace: 'mercado_libre', ...account },
    [{ ...level, itemId: `${mark}-ITEM`, sku: `${mark}-SKU`, title: mark }],
    { seenAt: now, ...silent },
  );
  await recordBalances(
    scope,
    { service: 'mercado_libre', ...account, accountId: mark },
    [{ ...money, purse: '', currency: 'MXN', asOf: now }],
    silent,
  );
  await recordSettlements(
    scope,
    { marketplace: 'mercado_libre', ...account },
    [aPayout(`${mark}-PAGO`, '900', now)],
    silent,
  );
  await recordShipments(
    scope,
    { carrier: 'paquetexpress', ...account, accountId: '77' },
    [{ ...parcel(`${mark}-ENVIO`), orderReference: `${mark}-1` }],
    { ...silent, listeners: [] },
  );
  await raiseAlert(scope, { kind: 'connection', subject: mark, message: mark });
}

/** @returns the id of a payout that the ledger does not explain */
async function find(scope: WriteScope, { instance, mark }: Place): Promise<string> {
  const id = newId();
  const now = instance.clock.now().toString();
  await scope.handle.sql(
    `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state,
       amount, currency, since, found_at, changed_at)
     values ($1, $2, 'mercado_libre', '468424240', 'payout_unexplained', $3, 'open', 9, 'MXN', $4, $4, $4)`,
    [scope.organizationId, id, `${mark}-PAGO`, now],
  );
  return id;
}

/** @returns the id of the upload */
async function invoice(scope: WriteScope, uuid: string): Promise<string> {
  const xml = Buffer.from(aCfdi({ uuid }));
  await recordCfdis(scope, 'upload', [readCfdi(xml)], []);
  return keepUpload(scope, [packFile('factura.xml', xml)]);
}

async function connect(scope: WriteScope, { instance, team: { owner }, mark }: Place) {
  const connection = await saveConnection(scope, instance.app.exchange.keyring, {
    service: 'coppel',
    accountId: mark,
    name: mark,
    baseUrl: null,
    credentials: { api_key: mark },
    credentialsExpireAt: null,
  });
  const { id: key, key: keyText } = await createKey(scope, 'operator', {
    name: mark,
    scopes: [...KEY_SCOPES],
  });
  const host = `${mark.toLowerCase()}.example`;
  const { id: endpoint } = await createEndpoint(scope, 'operator', { url: `https://${host}/` }, 20);
  const event = await sendTest(scope, 'operator', endpoint);
  const invitation = await invite(scope, owner, { email: `ana@${host}`, role: 'member' });
  return { connection, key, keyText, endpoint, event, invitation: invitation.id };
}

/** A guide of the line, a batch, and a change to «En camino». */
async function packGoods({ instance, team: { owner, organizacion }, mark }: Place, line: string) {
  const { ask } = openPanel(() => organizacion);
  const order = { line_ids: [line], idempotency_key: mark };
  const { body: guides } = await ask(owner, 'guides.request', order, 'write');
  const { body: press } = await ask(owner, 'lines.set-in-transit', { line_id: line }, 'write');
  const attempt = newId();
  await instance.app.database.within(organizacion).write(({ handle }) =>
    handle.sql(
      `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier,
         tracking_number, currency, zpl, pdf_base64, queued_at)
       values ($1, $2, $3, $2, $4, 'ok', 'paquetexpress', $4, 'MXN', '^XA', 'JVBERi0=', $5)`,
      [organizacion, attempt, line, `${mark}-GUIA`, instance.clock.now().toString()],
    ),
  );
  return {
    attempt,
    batch: String(guides.batch_id),
    job: String(press.job_id),
    parcel: `${mark}-ENVIO`,
    payout: `${mark}-PAGO`,
  };
}

async function startExport({ instance }: Place, key: string): Promise<string> {
  const { body } = await instance.api(
    '/manage/v1/exports',
    {},
    {
      key,
      method: 'POST',
      body: JSON.stringify({ what: 'orders', format: 'csv' }),
      headers: { 'content-type': 'application/json' },
    },
  );
  return body.data.id;
}

/** Ids that look like those of an organisation, and are of nothing. */
export function unknownIds(): Filled['ids'] {
  const mark = 'AUSENTE';
  const known: Partial<Filled['ids']> = {
    order: `${mark}-1`,
    parcel: `${mark}-ENVIO`,
    payout: `${mark}-PAGO`,
    sku: `${mark}-SKU`,
    uuid: newId().toUpperCase(),
  };
  return Object.fromEntries(
    FILLED_IDS.map((name) => [name, known[name] ?? newId()]),
  ) as Filled['ids'];
}
