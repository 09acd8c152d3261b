import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { before, type TestContext, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findOperation } from '../../src/entrances/panel/contract.ts';
import { soon } from '../spec/support/soon.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { eventually } from '../support/demo.ts';
import { zipOf } from '../support/zip.ts';
import { openDemo } from './support/demo.ts';
import { EVERY_LOOK, faultsInLooks, LOOKS, setLook } from './support/looks.ts';
import { accessibilityFaults, show } from './support/panel-page.ts';
import { faultOfShift, WATCH_SHIFTS } from './support/shifts.ts';

// Every screen of the navigation over the filled demo, as its owner sees them, in a real browser.

const DESKTOP = { width: 1366, height: 768 };
const FIRST_ORDERS_BYTES = 200_000;
const SIGN_IN_BYTES = 10_000;

let url = '';
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
/** Addresses of the navigation, by their names. */
let screens: readonly { readonly name: string; readonly address: string }[];

before(async () => {
  if (noBrowser) return;
  const demo = await openDemo();
  ({ signedIn, url } = demo);
  screens = await demo.page
    .getByRole('navigation')
    .first()
    .getByRole('link')
    .evaluateAll(
      (links, origin) =>
        links.map((link) => ({
          name: link.textContent ?? '',
          address: `${origin}${link.getAttribute('href')}`,
        })),
      url,
    );
});

test('the link of the demo opens Inicio, with an account to reconnect, an alert and parcels to prepare', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  await show(page, addressOf('Inicio'));
  const main = page.getByRole('main');
  await main.getByText(/^Tiendanube, .*: Hay que reconectar/).waitFor();
  assert.equal(await main.getByText('tu cuenta de Tiendanube').count(), 1, 'said once');
  await main
    .getByText('de Zipnova (Cuenta 11600) es de $3,250.75 MXN, menos de los $5,000.00 MXN')
    .waitFor();
  const parcels = main.getByRole('region', { name: 'Paquetes por preparar' });
  assert.match((await parcels.locator('.figure-main').textContent()) ?? '', /^[1-9]/);
  const stranger = await fetch(`${url}/demo/entrar?clave=otra`, { redirect: 'manual' });
  assert.deepEqual([stranger.status, stranger.headers.get('set-cookie')], [404, null]);
});

test('what is shown of an order adds up to its total and to its net by hand, refunded or not', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  const api = addressOf('Inicio').replace('/panel/', '/panel/api/');
  const read = async (query: string) => (await page.request.get(`${api}/${query}`)).json();
  const drawer = page.getByRole('dialog');
  await eventually('every ledger', async () => areLedgersRead(await read('connections.overview')));
  const otherwise = new Set<string>();
  for (const marketplace of ['mercado_libre', 'amazon', 'liverpool', 'coppel', 'tiktok_shop'])
    for (const status of ['delivered', 'refunded,returned']) {
      const found = await settledOrder(read, `marketplace=${marketplace}&status=${status}`);
      const name = `${marketplace} ${found.id}`;
      await page.goto(`${addressOf('Órdenes')}?orden=${found.id}&de=${marketplace}`);
      await drawer.getByRole('heading', { name: /^Liquidación de / }).waitFor();
      const tables = await drawer.locator('table.sum').allInnerTexts();
      const [sale = [], movements = []] = tables.filter(isOfSum).map(centsOf);
      const [total, net] = [sale.pop(), movements.pop()];
      assert.equal(sumOf(sale), total, `${name}: its total`);
      assert.equal(sumOf(movements), net, `${name}: its net`);
      assert.equal(net, Math.round(found.net * 100), name);
      if (status !== 'delivered') assert.ok(movements.length > 1 && net === 0, `${name}: ${net}`);
      if (await drawer.getByText(/^De la venta, .* te liquida /).count())
        otherwise.add(marketplace);
    }
  // It keeps what the buyer paid for shipping.
  assert.deepEqual([...otherwise], ['tiktok_shop']);
});

test('the page of a screen names its files and its first reads, the screen asks for each once, and nothing jumps on a phone', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn });
  await page.addInitScript(WATCH_SHIFTS);
  const found: string[] = [];
  for (const { name, address } of screens.filter((one) => one.address.includes('/panel/'))) {
    await show(page, address);
    // What is still under way is not among what was fetched.
    await page.waitForLoadState('networkidle');
    const { files, reads, asked } = await page.evaluate<Named>(NAMED);
    if (!files.some((file) => /Screen-[^/]+\.js$/.test(file))) found.push(`${name}: no file of it`);
    // A change between a list and a clock that is read later would be in neither.
    if (!reads[0]?.endsWith('/clock.read')) found.push(`${name}: the clock is not read first`);
    if (!reads.some((read) => read.endsWith('/frame.read'))) found.push(`${name}: no frame`);
    for (const read of reads) {
      const times = asked.filter((one) => one === read).length;
      if (times !== 1) found.push(`${name}: ${read} was asked ${times} times`);
    }
    found.push(...(await faultOfShift(page, `${name} on a phone`)));
  }
  assert.deepEqual(found, []);
});

test('the navigation leads to every screen: nothing jumps, in each scheme and width axe finds nothing, nothing is wide, no English word, no request to another host', {
  skip: noBrowser,
}, async (t) => {
  assert.ok(screens.length >= 8, `${screens.length} screens`);
  const page = await open(t, { storageState: signedIn });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  const faults = faultsOf(page);
  const found: string[] = [];
  await page.addInitScript(WATCH_SHIFTS);
  await setLook(page, LOOKS[0]);
  for (const { name, address } of screens) {
    await show(page, address);
    await eventually(`${name}, its title`, async () => (await page.title()).startsWith(name));
    found.push(...(await faultOfShift(page, name)));
    found.push(...(await faultsInLooks(page, name, { looks: EVERY_LOOK })));
  }
  assert.deepEqual(
    requested.filter((one) => !one.startsWith(url)),
    [],
  );
  assert.deepEqual(found, []);
  assert.deepEqual(faults, []);
});

test('the first load of Órdenes and of the sign-in page is small, and nothing jumps', {
  skip: noBrowser,
}, async (t) => {
  for (const [path, most, state] of [
    [addressOf('Órdenes'), FIRST_ORDERS_BYTES, signedIn],
    [`${url}/entrar`, SIGN_IN_BYTES, undefined],
  ] as const) {
    const page = await open(t, { ...(state && { storageState: state }), viewport: DESKTOP });
    await page.addInitScript(WATCH_SHIFTS);
    const loaded: string[] = [];
    page.on('response', (response) => loaded.push(response.url()));
    await show(page, path);
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const bytes = await brotliBytes(loaded.filter(isNoAnswer), cookie);
    t.diagnostic(`${new URL(path).pathname}: ${bytes} bytes`);
    assert.ok(bytes > 0 && bytes <= most, `${path}: ${bytes} bytes`);
    assert.deepEqual(await faultOfShift(page, path), []);
  }
});

test('a list that fails says so with the id of the request; an empty one names the next action', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  let answer: { status: number; body: object } = { status: 500, body: FAILED };
  await page.route('**/orders.list*', (route) =>
    route.fulfill({
      status: answer.status,
      headers: { 'x-request-id': 'req_de_prueba' },
      contentType: 'application/json',
      body: JSON.stringify(answer.body),
    }),
  );
  await page.goto(addressOf('Órdenes'));
  const alert = page.getByRole('alert');
  await alert.getByText('req_de_prueba').waitFor();
  await alert.getByRole('button', { name: 'Copiar' }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  answer = { status: 200, body: { data: [], open: [], next_cursor: null } };
  await alert.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await page
    .getByRole('main')
    .getByRole('link', { name: /Conecta/ })
    .waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a trial that ended, a lost network and a suspended organisation are said on every screen', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  await page.route('**/frame.read*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.organization.is_trial_over = true;
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto(addressOf('Ajustes'));
  await page.getByText('puedes ver tus datos, pero no hacer cambios').first().waitFor();
  const name = page.getByLabel('Nombre', { exact: true });
  await name.fill('Papelería a medias');
  await page.route('**/clock.read*', (route) => route.abort());
  await page.getByText('Lo que escribiste se conserva').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.reload();
  await soon(async () => assert.equal(await name.inputValue(), 'Papelería a medias'));

  await page.unroute('**/frame.read*');
  await page.route('**/frame.read*', (route) =>
    route.fulfill({ status: 403, json: { error: SUSPENDED } }),
  );
  await page.reload();
  await page.getByRole('heading', { name: 'Organización suspendida' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Mi cuenta' }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

const SUSPENDED = { code: 'organization_suspended', message: 'La organización está suspendida.' };
const FAILED = { error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' } };

/** What the page is made of, without the data that it shows. */
function isNoAnswer(address: string): boolean {
  return !new URL(address).pathname.startsWith('/panel/api/');
}

test('no name of a service or of a city is cut at 1366 px', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  await page.route('**/shipments.list*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.data[0].destination.city = 'Tuxtla Gutiérrez';
    await route.fulfill({ response: answer, json: body });
  });
  const cut = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
  await show(page, `${addressOf('Órdenes')}?marketplace=woocommerce`);
  await page.locator('.service', { hasText: 'WooCommerce' }).first().waitFor();
  assert.deepEqual(await cut('.service, .service *'), []);
  await show(page, addressOf('Envíos'));
  const city = page.getByRole('cell', { name: 'Tuxtla Gutiérrez' });
  await city.waitFor();
  assert.ok(await city.evaluate((one) => one.scrollWidth <= one.clientWidth), 'the city is whole');
});

test('after the trial no screen offers what is refused then', { skip: noBrowser }, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  const offered = async (name: string, buttons: readonly (string | RegExp)[]) => {
    await show(page, addressOf(name));
    const main = page.getByRole('main');
    await main.getByRole('heading', { level: 1, name }).waitFor();
    const counts = buttons.map((button) => main.getByRole('button', { name: button }).count());
    return (await Promise.all(counts)).map((count) => count > 0);
  };
  const ofAccounts = [
    /^Conectar/,
    'Reconectar',
    'Sincronizar ahora',
    'Pausar',
    '¿Está todo?',
    'Cambiar nombre',
    'Desconectar',
  ];
  assert.deepEqual(
    await offered('Conexiones', ofAccounts),
    ofAccounts.map(() => true),
  );
  await show(page, addressOf('Facturas'));
  await page.getByText('Subir XML o ZIP').waitFor();
  await show(page, `${addressOf('Órdenes')}?estado=paid`);
  await page.getByRole('button', { name: 'Guardar vista' }).waitFor();

  await page.route('**/frame.read*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.organization.is_trial_over = true;
    body.operations = body.operations.filter(isOpenAfterTrial);
    await route.fulfill({ response: answer, json: body });
  });
  await show(page, addressOf('Inicio'));
  await page.getByText('Se podrá reconectar cuando la organización cambie de plan.').waitFor();
  assert.equal(await page.getByText(/avísale/).count(), 0, 'an owner is not sent to an owner');
  const left = ofAccounts.map((name) => name === 'Desconectar');
  assert.deepEqual(await offered('Conexiones', ofAccounts), left);
  await show(page, addressOf('Facturas'));
  assert.equal(await page.getByText('Subir XML o ZIP').count(), 0);
  await show(page, `${addressOf('Órdenes')}?estado=paid`);
  assert.equal(await page.getByRole('button', { name: 'Guardar vista' }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
});

function isOpenAfterTrial(name: string): boolean {
  const operation = findOperation(name);
  return operation?.kind !== 'write' || operation.isOpenAfterTrial === true;
}

test('Facturas: a ZIP is uploaded with its progress, and a CFDI is opened and downloaded', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn });
  const faults = faultsOf(page);
  await show(page, addressOf('Facturas'));
  const buffer = await zipOf({
    'buena.xml': aCfdi({ uuid: folioOf(1), total: '116.00' }),
    'borrador.xml': aCfdi({ uuid: null }),
  });
  const upload = page.locator('input[type=file]');
  const file = { name: 'facturas.zip', mimeType: 'application/zip', buffer };
  await upload.setInputFiles(file);
  await page.getByText('Listo: 1 nuevo, 1 no se guardó.').waitFor();
  const pdf = { name: 'factura.xml', mimeType: 'text/xml', buffer: Buffer.from('%PDF-1.7 …') };
  await upload.setInputFiles(pdf);
  await page.getByText('No se guardó el archivo: no es un CFDI que podamos leer.').waitFor();
  await page.getByText('Es un PDF. Sube el XML del CFDI').waitFor();
  await upload.setInputFiles(file);
  await page.getByText('No tiene timbre fiscal').waitFor();
  await page.getByLabel('RFC', { exact: true }).fill('aaa010101aaa');
  await page.keyboard.press('Enter');
  await page.waitForURL(/rfc=AAA010101AAA/);
  const archive = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Descargar ZIP' }).click();
  assert.equal((await archive).suggestedFilename(), 'cfdi.zip');
  await page.getByRole('button', { name: folioOf(1) }).click();
  await page.getByText('Papelería Sol').waitFor();
  assert.match(page.url(), /folio=5F0C8A34/);
  assert.deepEqual(await accessibilityFaults(page), []);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Descargar XML' }).click();
  assert.equal((await downloading).suggestedFilename(), `${folioOf(1)}.xml`);
  assert.deepEqual(faults, []);
});

test('a folio in the box of the header opens its CFDI, which leads to its order', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  const faults = faultsOf(page);
  await show(page, addressOf('Facturas'));
  await page.locator('table.data button').first().click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('CFDI').first().waitFor();
  const folio = new URL(page.url()).searchParams.get('folio') ?? '';
  await show(page, addressOf('Inicio'));
  await page.keyboard.press('/');
  await page.keyboard.type(folio.toLowerCase());
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`facturas\\?folio=${folio}`));
  await drawer.getByText(folio).waitFor();
  const order = drawer.locator('a[href*="/ordenes?orden="]').first();
  const number = (await order.textContent()) ?? '';
  await order.click();
  await page.getByRole('dialog', { name: number }).waitFor();
  assert.deepEqual(faults, []);
});

test('Facturas: an upload that finds no room says why, and is sent again by the same button', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn });
  await show(page, addressOf('Facturas'));
  const message =
    'Hay muchos CFDI en espera de leerse. Espera unos minutos y sube este archivo de nuevo.';
  const json = { error: { code: 'cfdi_upload_limit_reached', message } };
  await page.route('**/cfdis.upload', (route) => route.fulfill({ status: 409, json }), {
    times: 1,
  });
  const buffer = Buffer.from(aCfdi({ uuid: folioOf(2) }));
  const file = { name: 'una.xml', mimeType: 'application/xml', buffer };
  await page.getByLabel('Subir XML o ZIP').setInputFiles(file);
  const note = page.getByRole('alert');
  await note.getByText('No se pudo subir el archivo').waitFor();
  await note.getByText(message).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await note.getByRole('button', { name: 'Intentar de nuevo' }).click();
  const done = page.getByText('Listo: 1 nuevo.');
  await done.waitFor();
  assert.equal(await note.count(), 0);
  await page.reload();
  await done.waitFor();
  await page.evaluate(`FileReader.prototype.readAsDataURL = function () {
    setTimeout(() => this.dispatchEvent(new Event('error')));
  }`);
  await page.getByRole('button', { name: 'Subir XML o ZIP' }).setInputFiles(file);
  await note.getByText('No pudimos leer el archivo. Elígelo de nuevo.').waitFor();
});

interface Named {
  readonly files: readonly string[];
  readonly reads: readonly string[];
  readonly asked: readonly string[];
}

/** What the head of a page names, and what was fetched: paths. */
const NAMED = `(() => {
  const pathOf = (address) => new URL(address).pathname;
  const named = (rule) =>
    [...document.head.querySelectorAll(rule)].map(({ href }) => pathOf(href));
  return {
    files: named('link[rel=modulepreload]'),
    reads: named('link[rel=preload][as=fetch]'),
    asked: performance.getEntriesByType('resource').map(({ name }) => pathOf(name)),
  };
})()`;

test('Saldos y pagos: a payout is opened with its movements, and leads to its orders', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { storageState: signedIn, viewport: DESKTOP });
  await show(page, addressOf('Saldos y pagos'));
  await page.getByRole('link', { name: 'Ir a los pagos' }).click();
  // Of an account whose marketplace names the payout of each movement.
  const payouts = page.getByRole('row', { name: /Liverpool/ });
  await payouts.getByRole('button').first().click();
  const drawer = page.getByRole('dialog', { name: 'Pago' });
  await drawer.getByText('Los movimientos coinciden con el pago al centavo.').waitFor();
  assert.match(page.url(), /pago=/);
  assert.deepEqual(await accessibilityFaults(page), []);
  await drawer.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: 'Órdenes' }).waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'Volver al pago' }).waitFor();
  const outside = await page.context().newPage();
  await outside.goto(page.url());
  await outside.getByRole('dialog').getByRole('link', { name: 'Volver al pago' }).waitFor();
  await outside.keyboard.press('Escape');
  await outside.waitForURL((url) => !url.searchParams.has('origen'));
  await page.keyboard.press('Escape');
  await drawer.getByText('Los movimientos coinciden con el pago al centavo.').waitFor();
});

/** Over http a browser does not ask for Brotli, so this does. */
async function brotliBytes(addresses: readonly string[], cookie: string): Promise<number> {
  let sum = 0;
  for (const address of addresses) {
    const asked = get(address, { headers: { cookie, 'accept-encoding': 'br' } });
    const [response] = await once(asked, 'response');
    for await (const part of response) sum += part.length;
  }
  return sum;
}

async function open(
  t: Pick<TestContext, 'after'>,
  options: Parameters<typeof openBrowser>[1],
): Promise<Page> {
  const context = await openBrowser(t, options);
  return context.newPage();
}

function addressOf(wanted: string): string {
  const found = screens.find(({ name }) => name === wanted);
  assert.ok(found, `${wanted} is not in the navigation`);
  return found.address;
}

interface Overview {
  readonly data: readonly {
    readonly streams: readonly { readonly stream: string; readonly last_sync_at: string | null }[];
  }[];
}

/** Of a part of a ledger an order has a net that is not its last one. */
function areLedgersRead({ data }: Overview): boolean {
  const ledgers = data.flatMap(({ streams }) =>
    streams.filter((one) => one.stream === 'settlements'),
  );
  return ledgers.length > 0 && ledgers.every((one) => one.last_sync_at !== null);
}

/** An order that has its net, as soon as the demo has read one. */
async function settledOrder(
  read: (query: string) => Promise<{ data: Record<string, unknown>[] & Record<string, unknown> }>,
  which: string,
): Promise<{ id: string; net: number }> {
  const found: { id: string; net: number }[] = [];
  await eventually(`a settled order of ${which}`, async () => {
    const { data } = await read(`orders.list?limit=100&${which}`);
    for (const { id, marketplace } of data) {
      const { data: order } = await read(`orders.get?marketplace=${marketplace}&id=${id}`);
      const isBack = Number(order.refunded_total) > 0 || which.endsWith('delivered');
      if (order.net_total === null || !isBack) continue;
      found.push({ id: String(id), net: Number(order.net_total) });
      return true;
    }
    return false;
  });
  return found[0] as { id: string; net: number };
}

/** Of a total or a net, not of a line beside them. */
function isOfSum(table: string): boolean {
  return /Total en |Neto para ti/.test(table);
}

/** The amounts of a table, from above. */
function centsOf(table: string): number[] {
  return [...table.matchAll(/(−?)\u2060?\$([\d,]+\.\d\d)\sMXN/g)].map(
    ([, minus, amount]) => Number((amount ?? '').replace(/[,.]/g, '')) * (minus ? -1 : 1),
  );
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
