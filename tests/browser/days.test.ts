import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam, type Team } from '../support/people.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// Days in filters are written as in Mexico, also in a browser of another language.

const ENGLISH = { locale: 'en-US' } as const;

let instance: TestApp;
let team: Team;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  team = await openTeam(instance, opened.folder);
  const order = (id: string, day: string) =>
    anOrder({ id, total: decimal('100'), dateCreated: Temporal.Instant.from(day) });
  await instance.record(
    [order('A-1', '2026-03-05T18:00:00Z'), order('A-2', '2026-03-07T18:00:00Z')],
    team.organizacion,
  );
});

test('Ventas compares a single day with the same weekday of the week before, and says so', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ventas?desde=2026-03-12&hasta=2026-03-12');
  await page.getByText('Comparado con el mismo día de la semana anterior, el 5 mar.').waitFor();
  const all = page.getByRole('region', { name: 'Ventas en MXN' });
  await all.getByText('$100.00 MXN una semana antes').first().waitFor();
});

test('Ventas on a Sunday marks seven days or this week, as chosen, also after a reload', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ventas');
  await page.clock.setFixedTime('2026-11-22T18:00:00Z');
  await page.reload();
  const marked = page.getByLabel('Periodo').locator('[aria-pressed=true]');
  for (const name of ['7 días', 'Esta semana', '7 días']) {
    await page.getByRole('button', { name, exact: true }).click();
    await marked.getByText(name, { exact: true }).waitFor();
    assert.match(page.url(), /desde=2026-11-16&hasta=2026-11-22/);
    assert.deepEqual(await marked.allTextContents(), [name]);
  }
  await page.reload();
  await marked.getByText('7 días', { exact: true }).waitFor();
});

test('Ventas of two years writes the year of each day, and always its time zone', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ventas?desde=2025-12-20&hasta=2026-03-12&tabla=si');
  await page
    .getByText(/del \d+ \w+ 2025 al \d+ \w+ 2025\. .*Centro \(Ciudad de México\)/)
    .waitFor();
  await page.getByRole('rowheader', { name: '5 mar 2026' }).waitFor();
});

test('a day is typed as dd/mm/aaaa by the keyboard, and the address holds it', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ordenes');
  const faults = faultsOf(page);
  const from = page.getByLabel('Desde', { exact: true });
  const until = page.getByLabel('Hasta', { exact: true });
  assert.equal(await from.getAttribute('placeholder'), 'dd/mm/aaaa');
  await from.fill('31/02/2026');
  await from.press('Enter');
  await page.getByRole('alert').getByText('Ese día no existe en el calendario.').waitFor();
  assert.equal(await from.getAttribute('aria-invalid'), 'true');
  assert.ok(!page.url().includes('desde'), 'no day of the calendar is asked for');
  assert.deepEqual(await accessibilityFaults(page), []);

  await from.fill('6/3/2026');
  await from.press('Enter');
  await page.waitForURL(/desde=2026-03-06/);
  assert.equal(await from.inputValue(), '06/03/2026');
  await page.getByRole('button', { name: 'A-1' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'A-2' }).waitFor();
  await from.press('ArrowDown');
  await page.waitForURL(/desde=2026-03-05/);
  await page.getByRole('button', { name: 'A-1' }).waitFor();
  await until.fill('05/03/2026');
  await until.press('Tab');
  await page.waitForURL(/hasta=2026-03-05/);
  await page.getByRole('button', { name: 'A-2' }).waitFor({ state: 'detached' });
  await from.fill('');
  await from.press('Enter');
  await page.waitForURL((url) => !url.searchParams.has('desde'));
  assert.deepEqual(faults, []);
});

test('a day of no calendar, or of a far year, is no filter of any list', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ordenes?hasta=9999-12-31');
  const faults = faultsOf(page);
  const { origin } = new URL(page.url());
  for (const [path, heading] of [
    ['/ordenes?hasta=9999-12-31', 'Órdenes'],
    ['/facturas?desde=0999-01-01&hasta=9999-12-31', 'Facturas'],
    ['/envios?desde=2026-13-40&hasta=9999-12-31', 'Envíos'],
    ['/envios?desde=2026-02-31', 'Envíos'],
  ] as const) {
    await show(page, `${origin}/panel/${team.organizacion}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    for (const field of ['Desde', 'Hasta'])
      assert.equal(await page.getByLabel(field, { exact: true }).inputValue(), '', path);
  }
  const until = page.getByLabel('Hasta', { exact: true });
  await until.fill('31/12/9999');
  await until.press('Enter');
  await page.getByRole('alert').getByText('Escribe el día así: 20/11/2026.').waitFor();
  assert.deepEqual(faults, []);
});

test('Ventas always has its days, the first one not after the last', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ventas?desde=2026-03-01&hasta=2026-03-31');
  const from = page.getByLabel('Desde', { exact: true });
  assert.equal(await from.inputValue(), '01/03/2026');
  await from.fill('01/04/2026');
  await from.press('Enter');
  await page.getByText('Debe ser el 31/03/2026 o antes.').waitFor();
  await from.fill('');
  await from.press('Enter');
  await page.getByText('Escribe un día.').waitFor();
  await from.fill('02/03/2026');
  await from.press('Enter');
  await page.waitForURL(/desde=2026-03-02/);
});

test('on a phone the tables of Ventas scroll by themselves, and what a row is stays in sight', {
  skip: noBrowser,
}, async (t) => {
  const { owner: person, organizacion } = team;
  const path = '/ventas?desde=2026-03-01&hasta=2026-03-31&tabla=si';
  const at = { person, organizacion, path };
  const page = await openPanelPage(t, instance, at, { viewport: { width: 390, height: 844 } });
  const table = page.getByRole('table').first();
  const [head, last] = [
    table.getByRole('rowheader').first(),
    table.getByRole('row').nth(1).getByRole('cell').last(),
  ];
  await head.waitFor();
  await page.evaluate("document.querySelector('.scrolled').scrollLeft = 9999");
  for (const part of [head, last]) {
    const { x, width } = (await part.boundingBox()) ?? { x: -1, width: 0 };
    assert.ok(x >= 16 && x + width <= 390 - 16, `from ${x}, ${width} wide`);
  }
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
});

function opened(t: Parameters<typeof openPanelPage>[0], path: string) {
  const { owner: person, organizacion } = team;
  return openPanelPage(t, instance, { person, organizacion, path }, ENGLISH);
}
