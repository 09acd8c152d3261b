import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openApp } from '../support/app.ts';
import { faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { eventually } from '../support/demo.ts';
import { EVERY_LOOK, faultsInLooks } from './support/looks.ts';
import { ENGLISH, EVERY_WORD } from './support/words.ts';

test('in a browser it shows the API in Spanish and makes no request to another host', {
  skip: noBrowser,
}, async (t) => {
  const { url } = await openApp(t);
  const page = await (await openBrowser(t, { viewport: { width: 1366, height: 768 } })).newPage();
  const faults = faultsOf(page);
  const requested: URL[] = [];
  page.on('request', (request) => requested.push(new URL(request.url())));
  await page.goto(`${url}/docs`);
  const text = await textWith(page, 'Probar solicitud');
  for (const words of [
    'Lista órdenes',
    'Autenticación',
    'Parámetros de consulta',
    'Respuestas',
    '/v1/orders',
  ])
    assert.ok(text.includes(words), words);
  assert.match(await page.title(), /Tianguis/);

  await page.evaluate(
    `document.querySelectorAll('button[aria-expanded=false]').forEach((button) => button.click())`,
  );
  await textWith(page, 'lista de');
  const words = await page.evaluate<string>(EVERY_WORD);
  assert.match(words, /Cambiar al modo oscuro|Cambiar al modo claro/);
  assert.match(words, /Ejemplo de solicitud de/);
  const contract = await contractOf(url);
  assert.deepEqual(englishIn(words, contract), []);

  await page.getByRole('button', { name: 'Probar solicitud' }).first().click();
  const send = page.getByRole('button', { name: /^Enviar/ }).first();
  await send.waitFor();
  assert.deepEqual(englishIn(await page.evaluate<string>(EVERY_WORD), contract), []);
  await send.click();
  await textWith(page, 'missing_api_key');

  assert.ok(requested.some(({ pathname }) => pathname === '/v1/orders'));
  assert.deepEqual(
    requested.filter(
      ({ origin, protocol }) => origin !== url && !['data:', 'blob:'].includes(protocol),
    ),
    [],
  );
  assert.deepEqual(faults, []);
});

test('guide and reference in each scheme and width: axe finds nothing, nothing scrolls sideways', {
  skip: noBrowser,
}, async (t) => {
  const { url } = await openApp(t);
  const page = await (await openBrowser(t)).newPage();
  const found: string[] = [];
  for (const [path, words] of [
    ['/docs/guia', 'Código para Python'],
    ['/docs/referencia', 'Consulta una orden'],
  ] as const) {
    await page.goto(`${url}${path}`);
    await page.getByText(words).first().waitFor();
    found.push(...(await faultsInLooks(page, path, { looks: EVERY_LOOK, mayBeEnglish: true })));
  }
  assert.deepEqual(found, []);
});

/** Waits until the page shows these words. @returns all of its text */
async function textWith(page: Page, words: string): Promise<string> {
  let text = '';
  await eventually(words, async () => {
    text = await page.evaluate<string>('document.body.innerText');
    return text.includes(words);
  });
  return text;
}

/** The contract's own names, examples, libraries and the key «Enter» are English. */
function englishIn(words: string, contract: ReadonlySet<string>): string[] {
  const own = (line: string) =>
    line.split(' ').filter((word) => !contract.has(word) && !word.includes('/'));
  return words
    .split('\n')
    .filter((line) => !/[{[(]/.test(line) && line !== 'Enter' && ENGLISH.test(own(line).join(' ')));
}

/** Every name and text of the published document; a name may be cut at its underscores. */
async function contractOf(url: string): Promise<ReadonlySet<string>> {
  const response = await fetch(`${url}/v1/openapi.json`);
  return new Set(textsIn(await response.json()));
}

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...name.split('_'),
    ...textsIn(inner),
  ]);
}
