import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import type { SourceMovement } from '../src/connectors/contract.ts';
import { exportJob } from '../src/exchange/jobs/export.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { recordSettlements } from '../src/features/balances/index.ts';
import { saveConnection } from '../src/features/connections/index.ts';
import { askForExport, endExport, makeReady } from '../src/features/exports/index.ts';
import { keep } from '../src/features/exports/store-kept.ts';
import { WHOLE } from '../src/features/exports/terms.ts';
import { writeExport } from '../src/features/exports/write-export.ts';
import { createKey, type KeyScope, listKeys, revokeKey } from '../src/features/keys/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { EARNINGS } from '../src/features/orders/index.ts';
import { changePlan } from '../src/features/organizations/index.ts';
import { changeRole, type Role } from '../src/features/people/index.ts';
import { actsBefore } from '../src/features/trail/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { dayInWords } from '../src/platform/time.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { type ApiAnswer, anOrder, callApi } from './support/app.ts';
import { query, workOff } from './support/market.ts';
import { joined, openMailingInstance, openTeam, type Team } from './support/people.ts';
import { aPayout } from './support/settlement.ts';
import { sheetsOf } from './support/workbook.ts';

// Exports that the service makes in the background: by `/manage/v1/exports` and on their page.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const EXPORTS = '/manage/v1/exports';
const PAGE = '/cuenta/exportaciones';
const BUYER = 'Ñandú P.';

test('an export is asked for, made and downloaded, whole and in ranges, and the trail names the key', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop();

  const asked = await shop.call('POST', EXPORTS, { what: 'orders', format: 'ndjson' });
  await workOff(instance);
  const { data } = (await shop.call('GET', `${EXPORTS}/${asked.body.data.id}`)).body;
  const whole = await download(data.file.url);
  const part = await download(data.file.url, { range: 'bytes=10-19' });
  const beyond = await download(data.file.url, { range: `bytes=${data.bytes}-` });
  const other = await download(data.file.url, { range: 'bytes=10-19', 'if-range': '"other"' });
  const listed = await shop.call('GET', EXPORTS);

  assert.deepEqual(
    [asked.status, asked.body.data.state, asked.body.data.file],
    [202, 'queued', null],
  );
  assert.deepEqual([data.state, data.rows, data.error], ['done', 3, null]);
  assert.equal(whole.text.trim().split('\n').length, 3);
  assert.deepEqual(
    whole.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['3', '2', '1'],
    'newest first',
  );
  assert.ok(whole.text.includes(BUYER));
  assert.equal(Buffer.byteLength(whole.text), data.bytes);
  assert.match(
    whole.headers.get('content-disposition') ?? '',
    /attachment; filename="tianguis-orders\.ndjson"/,
  );
  assert.ok(whole.headers.has('x-request-id') && whole.headers.has('x-ratelimit-limit'));
  assert.deepEqual(
    [part.status, part.text],
    [206, Buffer.from(whole.text).subarray(10, 20).toString()],
  );
  assert.equal(part.headers.get('content-range'), `bytes 10-19/${data.bytes}`);
  assert.deepEqual([beyond.status, other.status, other.text], [416, 200, whole.text]);
  assert.deepEqual(
    listed.body.data.map(({ id }: { id: string }) => id),
    [data.id],
  );
  const acts = await shop.within.read((scope) => actsBefore(scope, null, 9));
  assert.deepEqual(
    acts.filter(({ subject }) => subject === data.id).map(({ act }) => act),
    ['export_downloaded', 'export_downloaded', 'export_requested'],
  );
});

test('a file that is taken without its first byte is in the trail, once for its link', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop();
  const { id, file } = await shop.made({ what: 'orders', format: 'ndjson' });

  const { status } = await download(file.url, { range: 'bytes=1-' });
  await download(file.url, { range: 'bytes=5-9' });
  await download(file.url, { range: 'bytes=-3' });

  assert.equal(status, 206);
  const acts = await shop.within.read((scope) => actsBefore(scope, null, 9));
  assert.deepEqual(
    acts.filter(({ subject }) => subject === id).map(({ act }) => act),
    ['export_downloaded', 'export_requested'],
  );
});

test('csv and xlsx hold the same rows, and a period those of its days', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop();
  const from = '2026-11-14';

  const rows = [];
  for (const format of ['csv', 'xlsx', 'ndjson'])
    rows.push((await shop.made({ what: 'orders', format })).rows);
  const within = await shop.made({ what: 'orders', format: 'ndjson', from, to: from });
  const items = await shop.made({ what: 'items', format: 'csv', from });

  const { text } = await download(within.file.url);
  assert.deepEqual(rows, [3, 3, 3]);
  // 2026-11-15T05:00Z is the 14th there.
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['2'],
  );
  assert.equal(items.rows, 2);
});

test('an export can be of one marketplace alone', { tags: ['slow'] }, async () => {
  const shop = await openShop();
  await shop.record([
    anOrder({ id: 'A', marketplace: 'amazon' }),
    anOrder({ id: 'B', marketplace: 'amazon', items: [] }),
  ]);
  const wish = { format: 'ndjson', marketplace: 'amazon' };
  const orders = await shop.made({ ...wish, what: 'orders' });
  const items = await shop.made({ ...wish, what: 'items', format: 'csv' });
  const readable = await shop.made({ ...wish, what: 'orders', format: 'excel' });
  const { body } = await shop.call('GET', `${EXPORTS}/${orders.id}`);

  const ids = (await download(orders.file.url)).text.trim().split('\n');
  assert.deepEqual(ids.map((line) => JSON.parse(line).id).toSorted(), ['A', 'B']);
  assert.deepEqual([items.rows, body.data.marketplace, body.data.payout_id], [1, 'amazon', null]);
  const { pathname } = new URL(readable.file.url, instance.url);
  const file = await (await fetch(new URL(pathname, instance.url))).arrayBuffer();
  const about = (await sheetsOf(Buffer.from(file))).at(-1);
  assert.ok(
    about?.rows.some(([name, value]) => `${name?.text} ${value?.text}` === 'Filtro Solo Amazon'),
  );
});

test('of one payout the page exports exactly its lines, and of one marketplace its rows', {
  tags: ['slow'],
}, async () => {
  const { team, record } = await openTeamShop();
  await record([anOrder({ id: '1' }), anOrder({ id: '2', marketplace: 'shopify' })]);
  const { organizacion } = team;
  const source = { marketplace: 'shopify', accountId: 'S', connectionId: newId() } as const;
  const at = Temporal.Instant.from('2026-11-10T18:00:00Z');
  const moved = (payoutId: string, key: string): SourceMovement => ({
    ...{ key, kind: 'sale', amount: decimal('10'), currency: 'MXN', nativeType: 'charge', at },
    ...{ orderId: `O-${key}`, payoutId, isOpen: false },
  });
  // More lines than a page has.
  const many = Array.from({ length: 1_001 }, (_, one) => moved('P-1', String(one)));
  const ledger = { id: '1', report: 'balance', covers: null, changedAt: null, opening: null };
  await instance.app.database.within(organizacion).write(async (scope) => {
    const payouts = [aPayout('P-1', '10010', at), aPayout('P-2', '10', at)];
    await recordSettlements(scope, source, payouts, { announce: false });
    const movements = [...many, moved('P-2', 'other')];
    await recordLedgers(scope, source, [{ ...ledger, movements }]);
    await saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'shopify', accountId: 'S', name: 'Tienda', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    });
  });
  const { visitor } = team.owner;
  const led = await visitor.get(`${PAGE}?que=payout_lines&marketplace=shopify&cuenta=S&pago=P-1`);
  const payout = { que: 'payout_lines', marketplace: 'shopify', cuenta: 'S', pago: 'P-1' };
  const { text, page } = await pageExport(team, visitor, { ...payout, formato: 'csv' });
  const unknown = await visitor.post(PAGE, {
    ...{ organizacion, formulario: newId(), formato: 'csv' },
    ...{ ...payout, pago: 'P-9' },
  });
  const ofShop = await visitor.get(`${PAGE}?que=orders&marketplace=shopify`);
  const orders = { que: 'orders', formato: 'ndjson', marketplace: 'shopify' };
  const narrowed = await pageExport(team, visitor, orders);

  assert.match(led.text, /todos los movimientos del pago P-1 de Shopify, y ningún otro/);
  assert.doesNotMatch(led.text, /name="desde"/);
  const lines = text.trim().split('\r\n');
  assert.equal(lines.length, 1_002);
  assert.ok(lines.slice(1).every((line) => line.includes(',P-1,')));
  assert.match(page, /Solo el pago P-1 de Shopify/);
  assert.equal(unknown.status, 404);
  assert.match(ofShop.text, /<option value="shopify" selected>Shopify</);
  assert.deepEqual(
    narrowed.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['2'],
  );
  assert.match(narrowed.page, /Todo el periodo · Solo Shopify/);
});

test('what cannot be asked for is refused', async () => {
  const shop = await openShop();
  const bodies = [
    { what: 'people', format: 'csv' },
    { what: 'orders', format: 'pdf' },
    { what: 'orders', format: 'csv', from: '2026-02-30' },
    { what: 'orders', format: 'csv', from: '2026-11-02', to: '2026-11-01' },
    { what: 'balances', format: 'csv', from: '2026-11-02' },
    { what: 'orders', format: 'csv', file: '/etc/passwd' },
    { what: 'orders', format: 'csv', marketplace: 'ebay' },
    { what: 'balances', format: 'csv', marketplace: 'amazon' },
  ];

  const answers = [];
  for (const body of bodies) answers.push(await shop.call('POST', EXPORTS, body));

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error.code, body.error.param]),
    [
      [400, 'invalid_request', 'what'],
      [400, 'invalid_request', 'format'],
      [400, 'invalid_request', 'from'],
      [400, 'invalid_request', 'from'],
      [400, 'invalid_request', 'from'],
      [400, 'invalid_request', 'file'],
      [400, 'invalid_request', 'marketplace'],
      [400, 'invalid_request', 'marketplace'],
    ],
  );
  const undated = { what: 'findings', format: 'csv', to: '2026-11-02' };
  const { body } = await shop.call('POST', EXPORTS, undated);
  assert.equal(body.error.message, '«Hallazgos» se exporta como está ahora, sin periodo.');
});

test('a key needs the permission of exports and that of the data', async () => {
  const shop = await openShop();
  const { id } = await shop.made({ what: 'orders', format: 'csv' });
  const keys = await Promise.all(
    [['orders:read'], ['exports:write'], ['exports:write', 'sales:read']].map((scopes) =>
      shop.keyWith(scopes as KeyScope[]),
    ),
  );

  const answers = [];
  for (const key of keys) {
    const asked = await shop.call('POST', EXPORTS, { what: 'orders', format: 'csv' }, key);
    const read = await shop.call('GET', `${EXPORTS}/${id}`, undefined, key);
    const removed = await shop.call('DELETE', `${EXPORTS}/${id}`, undefined, key);
    const listed = await shop.call('GET', EXPORTS, undefined, key);
    answers.push([asked.status, read.status, removed.status, listed.body.data ?? listed.status]);
  }

  assert.deepEqual(answers, [
    [403, 403, 403, 403],
    [403, 403, 403, []],
    [403, 403, 403, []],
  ]);
  const { body } = await shop.call('POST', EXPORTS, { what: 'orders', format: 'csv' }, keys[2]);
  assert.deepEqual(
    [body.error.code, body.error.details],
    ['insufficient_scope', { required_scope: 'orders:read' }],
  );
});

test('what is kept is sealed with the key of its organisation, and bound to its place', async () => {
  const shop = await openShop();
  const { id, file } = await shop.made({ what: 'orders', format: 'ndjson' });
  const chunks = 'select box from export_chunks where organization_id = $1 and export_id = $2';
  const [row] = await query(instance, chunks, [shop.organizationId, id]);

  await query(instance, 'update export_chunks set at = at + 1 where export_id = $1', [id]);
  await query(
    instance,
    'insert into export_chunks select organization_id, export_id, 0, box from export_chunks where export_id = $1',
    [id],
  );
  await query(instance, `update exports set bytes = bytes + ${256 * 1_024} where id = $1`, [id]);
  const moved = await download(file.url).catch(() => null);

  const box = Buffer.from((row as { box: Buffer }).box);
  assert.throws(() => inflateRawSync(box));
  assert.ok(box.length > 100 && !box.includes(BUYER));
  assert.equal(moved, null);
});

test('one that was cut off goes on, also while orders change, and has the bytes of its instant', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(2_600);
  const whole = await shop.made({ what: 'orders', format: 'ndjson' });
  const id = newId();
  const wish = {
    id,
    what: 'orders',
    format: 'ndjson',
    from: null,
    to: null,
    view: 'whole' as const,
  };
  await shop.within.write((scope) => askForExport(scope, 'operator', wish));
  const cut = new Error('cut');
  const make = (most: number) =>
    writeExport(
      {
        database: instance.app.database,
        clock: instance.clock,
        onProgress(rows) {
          if (rows > most) throw cut;
        },
      },
      {
        organizationId: shop.organizationId,
        what: 'orders',
        format: 'ndjson',
        terms: WHOLE,
        to: { kept: id },
      },
    );

  await shop.within.write((scope) => makeReady(scope, id));
  await assert.rejects(make(2_100), cut);
  await shop.record([anOrder({ id: '1', status: 'delivered' }), anOrder({ id: 'nueva' })]);
  await shop.within.write((scope) => makeReady(scope, id));
  const result = await make(Number.POSITIVE_INFINITY);
  await shop.within.write((scope) => endExport(scope, id, result));
  const { data } = (await shop.call('GET', `${EXPORTS}/${id}`)).body;

  const [first, second] = [await download(whole.file.url), await download(data.file.url)];
  assert.deepEqual([data.rows, data.bytes, data.as_of], [whole.rows, whole.bytes, whole.as_of]);
  assert.ok(first.text === second.text && first.text.length > 2 * 256 * 1_024);
});

test('an export that came further after a cut is not given up, one that never does is, and one without a job gets another', async () => {
  const shop = await openShop();
  const ids = [newId(), newId(), newId()] as const;
  const [further, stuck, left] = ids;
  const wish = { what: 'sales', format: 'csv', from: null, to: null, view: 'whole' as const };
  for (const id of ids)
    await shop.within.write((scope) => askForExport(scope, 'operator', { id, ...wish }));
  const kept = { of: '', snapshot: '', asOf: '', place: null, rows: 0, bytes: 0 };

  for (let cut = 0; cut < 10; cut++)
    for (const id of [further, stuck]) await shop.within.write((scope) => makeReady(scope, id));
  await shop.within.write((scope) => keep(scope, further, kept));
  const goesOn = await shop.within.write((scope) => makeReady(scope, further));
  const isOver = await shop.within.write((scope) => makeReady(scope, stuck));
  await query(
    instance,
    `update exports set created_at = created_at - interval '2 hours' where id = $1`,
    [left],
  );
  await runHousekeeping(instance.app.exchange);
  await workOff(instance);
  const states = [];
  for (const id of ids) states.push((await shop.call('GET', `${EXPORTS}/${id}`)).body.data);

  assert.deepEqual([goesOn?.state, isOver], ['running', null]);
  assert.deepEqual(
    states.map(({ state, error }) => [state, error?.code ?? null]),
    [
      ['running', null],
      ['failed', 'interrupted'],
      ['done', null],
    ],
  );
});

test('a job for an export that another one makes looks again in a minute, and has not failed', async () => {
  const shop = await openShop();
  const { organizationId } = shop;
  const exportId = newId();
  const wish = { what: 'sales', format: 'csv', from: null, to: null, view: 'whole' as const };
  await shop.within.write((scope) => askForExport(scope, 'operator', { id: exportId, ...wish }));
  const { exchange, database } = instance.app;
  const state = async () => (await shop.call('GET', `${EXPORTS}/${exportId}`)).body.data.state;

  const lock = { kind: 'export', subject: exportId } as const;
  await database.locks.holding(lock, () => exportJob.run(exchange, { organizationId, exportId }));
  const [again] = await query(
    instance,
    `select state, round(extract(epoch from start_after - now()) / 60)::int as minutes
       from queue.job where singleton_key = $1`,
    [exportId],
  );
  const before = await state();
  await query(instance, 'update queue.job set start_after = now() where singleton_key = $1', [
    exportId,
  ]);
  await workOff(instance);

  assert.deepEqual(again, { state: 'created', minutes: 1 });
  assert.deepEqual([before, await state()], ['queued', 'done']);
});

test('three at once and twenty in all are the most; a deleted one stops', async () => {
  const shop = await openShop();
  const ask = () => shop.call('POST', EXPORTS, { what: 'sales', format: 'csv' });
  const wish = { what: 'sales', format: 'csv', from: null, to: null, view: 'whole' as const };
  const first = [newId(), newId(), newId()] as const;
  // Without jobs, which might end before the fourth is asked for.
  for (const id of first)
    await shop.within.write((scope) => askForExport(scope, 'operator', { id, ...wish }));

  const fourth = await ask();
  await shop.call('DELETE', `${EXPORTS}/${first[0]}`);
  const again = await ask();
  await workOff(instance);
  await query(
    instance,
    `insert into exports (organization_id, id, what, format, has_earnings, state, created_at)
     select $1, gen_random_uuid(), 'sales', 'csv', true, 'done', now() from generate_series(4, 20)`,
    [shop.organizationId],
  );
  const beyond = await ask();

  assert.deepEqual([fourth.status, fourth.body.error.code], [409, 'export_limit_reached']);
  assert.equal(again.status, 202);
  assert.equal((await shop.call('GET', `${EXPORTS}/${first[0]}`)).status, 404);
  assert.deepEqual([beyond.status, /hasta 20/.test(beyond.body.error.message)], [409, true]);
});

test('a full disk leaves a clear state and nothing of the file', async () => {
  const shop = await openShop();
  await query(
    instance,
    `create or replace function no_room() returns trigger language plpgsql as
      $$ begin if new.organization_id = '${shop.organizationId}' then raise exception using errcode = 'disk_full'; end if; return new; end $$`,
  );
  await query(
    instance,
    'create or replace trigger no_room before insert on export_chunks for each row execute function no_room()',
  );

  const made = await shop.made({ what: 'orders', format: 'csv' });
  await query(instance, 'drop trigger no_room on export_chunks');

  assert.deepEqual(
    [made.state, made.error.code, made.file, made.bytes],
    ['failed', 'disk_full', null, 0],
  );
  assert.match(made.error.message, /No hubo espacio/);
});

test('on the page a member asks for what the role sees, without earnings where it does not see them, and takes no more than that', {
  tags: ['slow'],
}, async () => {
  const { team, record } = await openTeamShop();
  await record([anOrder({ id: '1' })]);
  const seen: Partial<Record<Role, unknown>> = {};
  const ofOwner = await pageExport(team, team.owner.visitor, { que: 'orders', formato: 'csv' });
  for (const role of ['member', 'warehouse'] as const) {
    const { visitor } = await joined(instance, folder, team.organizacion, { by: team.owner, role });
    const mine = await pageExport(team, visitor, { que: 'orders', formato: 'csv' });
    const head = mine.text.split('\r\n')[0]?.split(',') ?? [];
    const sales = await visitor.post(PAGE, {
      ...{ organizacion: team.organizacion, formulario: newId() },
      ...{ que: 'balances', formato: 'csv' },
    });
    const foreign = await visitor.get(
      `${PAGE}/archivo?organizacion=${team.organizacion}&exportacion=${ofOwner.id}`,
    );
    seen[role] = {
      earnings: EARNINGS.filter((name) => head.some((one) => one === name)).length,
      has: head.includes('buyer_name'),
      balances: sales.status,
      foreign: foreign.status,
      hint: /no llevan comisiones/.test(mine.page),
      undated: /Sin periodo: Saldos, Hallazgos, Impuestos retenidos\./.test(mine.page),
    };
  }

  assert.deepEqual(seen, {
    member: {
      ...{ earnings: EARNINGS.length, has: true, balances: 303, foreign: 303 },
      ...{ hint: false, undated: true },
    },
    warehouse: {
      ...{ earnings: 0, has: true, balances: 403, foreign: 404 },
      ...{ hint: true, undated: false },
    },
  });
});

test('the page lists progress, size and end, says what is wrong, and a form that comes again asks for no second one', {
  tags: ['slow'],
}, async () => {
  const { team, record } = await openTeamShop();
  await record([anOrder({ id: '1' })]);
  const { visitor } = team.owner;
  const form = {
    organizacion: team.organizacion,
    formulario: newId(),
    que: 'orders',
    formato: 'xlsx',
    desde: '',
    hasta: '',
  };

  const led = await visitor.get(`${PAGE}?que=sales&desde=2026-11-02`);
  const ofState = await visitor.get(`${PAGE}?que=findings&filtros=otros`);
  const ofDays = await visitor.get(`${PAGE}?que=uninvoiced&filtros=otros`);
  const wrong = await visitor.post(PAGE, { ...form, desde: '2026-11-02', hasta: '2026-11-01' });
  const asked = [await visitor.post(PAGE, form), await visitor.post(PAGE, form)];
  const waiting = await visitor.get(PAGE);
  await workOff(instance);
  const ready = await visitor.get(PAGE);
  const removed = await visitor.post(`${PAGE}/eliminar`, { ...form, exportacion: form.formulario });
  const empty = await visitor.get(PAGE);

  assert.match(led.text, /value="sales" selected.*value="2026-11-02"/s, 'as a screen led to it');
  assert.match(ofState.text, /El archivo lleva las filas de todos los estados/);
  assert.match(ofDays.text, /el archivo toma los días/);
  assert.doesNotMatch(led.text, /todos los estados|toma los días/);
  assert.deepEqual(
    [wrong.status, /no puede ser anterior.*value="2026-11-02"/s.test(wrong.text)],
    [400, true],
  );
  assert.ok(asked.every(({ status, to }) => status === 303 && to.endsWith('aviso=pedida')));
  assert.match(waiting.text, /(En espera|En curso).*Actualizar|>Lista</s);
  assert.match(
    ready.text,
    /Lista.*Descargar.*1 orden, [\d.]+ kB.*Excel \(con los nombres de la API\).*Todo el periodo/s,
  );
  assert.equal(ready.text.match(/>Lista</g)?.length, 1);
  assert.match(removed.to, /aviso=eliminada/);
  assert.doesNotMatch(empty.text, />Lista</);
});

test('a period by its name needs no days, in the time zone of the organisation', async () => {
  const { team } = await openTeamShop();
  const { visitor } = team.owner;
  const form = { organizacion: team.organizacion, que: 'orders', formato: 'csv' };
  const today = instance.clock.now().toZonedDateTimeISO('America/Mexico_City').toPlainDate();
  const first = today.with({ day: 1 }).subtract({ months: 1 });

  const asked = await visitor.post(PAGE, {
    ...form,
    formulario: newId(),
    periodo: 'mes-pasado',
    desde: '2026-01-01',
  });
  const unknown = await visitor.post(PAGE, { ...form, formulario: newId(), periodo: 'siempre' });
  const page = await visitor.get(PAGE);

  assert.match(asked.to, /aviso=pedida/);
  assert.deepEqual([unknown.status, /Elige un periodo/.test(unknown.text)], [400, true]);
  const last = first.add({ months: 1 }).subtract({ days: 1 });
  const period = `Del ${dayInWords(first.toString())} al ${dayInWords(last.toString())}`;
  assert.ok(page.text.includes(period), page.text);
});

test('another organisation reaches no export, and a link serves for a quarter of an hour', {
  tags: ['slow'],
}, async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const { id, file } = await shop.made({ what: 'orders', format: 'csv' });

  const read = await other.call('GET', `${EXPORTS}/${id}`);
  const removed = await other.call('DELETE', `${EXPORTS}/${id}`);
  const listed = await other.call('GET', EXPORTS);
  const forged = await download(`${file.url.slice(0, -2)}xx`);
  instance.clock.advance({ minutes: 14 });
  const before = await download(file.url);
  instance.clock.advance({ minutes: 2 });
  const after = await download(file.url);

  assert.deepEqual([read.status, removed.status, listed.body.data], [404, 404, []]);
  assert.deepEqual([forged.status, before.status, after.status], [404, 200, 404]);
});

test('a link ends with the role that asked for it', async () => {
  const { team, record } = await openTeamShop();
  await record([anOrder({ id: '1' })]);
  const by = { by: team.owner, role: 'admin' as const };
  const { visitor, personId } = await joined(instance, folder, team.organizacion, by);
  const { to } = await pageExport(team, visitor, { que: 'orders', formato: 'csv' });
  const set = (role: Role) =>
    instance.app.database
      .within(team.organizacion)
      .write((scope) => changeRole(scope, 'operator', { personId, role }));

  const statuses: number[] = [];
  for (const role of ['member', 'warehouse', 'admin'] as const) {
    await set(role);
    statuses.push((await download(to)).status);
  }

  assert.deepEqual(statuses, [200, 404, 200]);
});

test('a link ends with the key that asked for it', async () => {
  const shop = await openShop();
  const { file } = await shop.made({ what: 'orders', format: 'csv' });
  assert.equal((await download(file.url)).status, 200);

  await instance.app.database.write(async (handle) => {
    for (const { id } of await listKeys(handle.within(shop.organizationId)))
      await revokeKey(handle, 'operator', id);
  });

  assert.equal((await download(file.url)).status, 404);
});

test('after seven days it is deleted with all its chunks', { tags: ['slow'] }, async () => {
  const shop = await openShop();
  const { id } = await shop.made({ what: 'orders', format: 'csv' });
  const left = async () => [
    (await query(instance, 'select 1 from exports where id = $1', [id])).length,
    (await query(instance, 'select 1 from export_chunks where export_id = $1', [id])).length,
  ];

  instance.clock.advance({ hours: 24 * 7 - 1 });
  await runHousekeeping(instance.app.exchange);
  const before = await left();
  instance.clock.advance({ hours: 2 });
  await runHousekeeping(instance.app.exchange);

  assert.deepEqual(
    [before, await left()],
    [
      [1, 1],
      [0, 0],
    ],
  );
});

async function openShop(more = 0) {
  const { organization } = await instance.tenant('avanzado');
  const organizationId = organization.id;
  const within = instance.app.database.within(organizationId);
  const keyWith = async (scopes: readonly KeyScope[]) =>
    (await within.write((scope) => createKey(scope, 'operator', { name: 'exporta', scopes }))).key;
  const key = await keyWith(['exports:write', 'orders:read', 'sales:read', 'balances:read']);
  const record = (orders: Parameters<typeof instance.record>[0]) =>
    instance.record(orders, organizationId);
  const at = Temporal.Instant.from('2026-11-13T12:00:00Z');
  await record([
    anOrder({ id: '1', dateCreated: at, buyerName: 'Ñandú Pérez' }),
    anOrder({ id: '2', dateCreated: Temporal.Instant.from('2026-11-15T05:00:00Z') }),
    anOrder({ id: '3', dateCreated: Temporal.Instant.from('2026-11-15T06:00:00Z') }),
  ]);
  for (let from = 0; from < more; from += 650)
    await record(Array.from({ length: 650 }, (_, index) => anOrder({ id: `M${from + index}` })));
  async function call(method: string, path: string, body?: unknown, as = key): Promise<ApiAnswer> {
    if (body === undefined) return callApi(instance.url, path, {}, { key: as, method });
    const headers = { 'content-type': 'application/json' };
    return callApi(
      instance.url,
      path,
      {},
      { key: as, method, headers, body: JSON.stringify(body) },
    );
  }
  return {
    ...{ organizationId, within, keyWith, record, call },
    async made(wish: object) {
      const asked = await call('POST', EXPORTS, wish);
      assert.equal(asked.status, 202, JSON.stringify(asked.body));
      await workOff(instance);
      return (await call('GET', `${EXPORTS}/${asked.body.data.id}`)).body.data;
    },
  };
}

async function openTeamShop() {
  const team = await openTeam(instance, folder);
  await instance.app.database.write((handle) =>
    changePlan(handle, instance.clock, {
      organizationId: team.organizacion,
      plan: 'basico',
      quota: null,
    }),
  );
  const record = (orders: Parameters<typeof instance.record>[0]) =>
    instance.record(orders, team.organizacion);
  return { team, record };
}

async function pageExport(
  { organizacion }: Team,
  visitor: Team['owner']['visitor'],
  form: Record<string, string>,
) {
  const id = newId();
  await visitor.post(PAGE, { organizacion, formulario: id, ...form });
  await workOff(instance);
  const page = (await visitor.get(`${PAGE}?organizacion=${organizacion}`)).text;
  const { to } = await visitor.get(
    `${PAGE}/archivo?organizacion=${organizacion}&exportacion=${id}`,
  );
  return { id, page, to, text: (await download(to)).text };
}

async function download(url: string, headers: Record<string, string> = {}) {
  const { pathname } = new URL(url, instance.url);
  const answer = await fetch(new URL(pathname, instance.url), { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
