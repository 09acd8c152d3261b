import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import { openApp } from '../support/app.ts';
import { CHROMIUM, noBrowser, openBrowser } from '../support/chromium.ts';
import { ENGLISH, EVERY_WORD } from './support/words.ts';

test('in a browser it shows the API in Spanish and makes no request to another host', {
  skip: noBrowser,
}, async (t) => {
  const { url } = await openApp(t);
  const page = await openPage(t, `${url}/docs`);
  const text = await page.textWith('Probar solicitud');
  for (const words of [
    'Lista órdenes',
    'Autenticación',
    'Parámetros de consulta',
    'Respuestas',
    '/v1/orders',
  ])
    assert.ok(text.includes(words), words);
  assert.match(await page.read('document.title'), /Tianguis/);

  await page.read(
    `document.querySelectorAll('button[aria-expanded=false]').forEach((button) => button.click())`,
  );
  const words = await page.textWith('lista de').then(() => page.read(EVERY_WORD));
  assert.match(words, /Cambiar al modo oscuro|Cambiar al modo claro/);
  assert.match(words, /Ejemplo de solicitud de/);
  const contract = await contractOf(url);
  assert.deepEqual(englishIn(words, contract), []);

  await page.read(`[...document.querySelectorAll('button')]
    .find((button) => button.innerText.includes('Probar solicitud')).click()`);
  await page.textWith('Enviar');
  assert.deepEqual(englishIn(await page.read(EVERY_WORD), contract), []);
  await page.read(`[...document.querySelectorAll('button')]
    .find((button) => button.innerText.startsWith('Enviar')).click()`);
  await page.textWith('missing_api_key');

  const paths = page.requests().map((address) => new URL(address));
  assert.ok(paths.some(({ pathname }) => pathname === '/v1/orders'));
  assert.deepEqual(
    paths.filter(
      ({ origin, protocol }) => origin !== url && !['data:', 'blob:'].includes(protocol),
    ),
    [],
  );
  assert.deepEqual(
    page.complaints().filter((words) => !words.includes('401')),
    [],
  );
});

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

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1366, 320])
    test(`guide and reference in ${colorScheme} at ${width} px: axe finds nothing, nothing scrolls sideways`, {
      skip: noBrowser,
    }, async (t) => {
      const { app } = await openApp(t);
      const viewport = { width, height: 900 };
      const page = await (await openBrowser(t, { colorScheme, viewport })).newPage();
      for (const [path, words] of [
        ['/docs/guia', 'Código para Python'],
        ['/docs/referencia', 'Consulta una orden'],
      ] as const) {
        await page.goto(`${app.exchange.publicUrl}${path}`);
        await page.getByText(words).first().waitFor();
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        assert.deepEqual(found, [], path);
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(wide <= width, `${path} is ${wide} px wide`);
      }
    });

interface Page {
  /** Waits until the page shows these words. @returns all of its text */
  textWith(words: string): Promise<string>;
  read(expression: string): Promise<string>;
  /** Addresses that it requested, or wanted to. */
  requests(): string[];
  /** What the browser found wrong: refused by the page's policy, not found, thrown. */
  complaints(): string[];
}

async function openPage(t: TestContext, address: string): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-browser-'));
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--remote-debugging-port=0',
  ];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const child = spawn(
    CHROMIUM,
    [...options, ...quiet, `--user-data-dir=${folder}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  t.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  const control = await eventually('the browser', async () => /ws:\/\/([\d.:]+)\//.exec(said)?.[1]);
  const targets = (await (await fetch(`http://${control}/json`)).json()) as Wire[];
  const { webSocketDebuggerUrl } = targets.find(({ type }) => type === 'page');
  const { call, events } = await openWire(webSocketDebuggerUrl);

  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);
  await call('Page.navigate', { url: address });
  const read = async (expression: string) =>
    (await call('Runtime.evaluate', { expression, returnByValue: true })).result.value;
  const of = (method: string) =>
    events.filter((event) => event.method === method).map(({ params }) => params);
  return {
    read,
    textWith: (words) =>
      eventually(words, async () => {
        const text = await read("document.body?.innerText ?? ''");
        return text.includes(words) ? text : null;
      }),
    requests: () => of('Network.requestWillBeSent').map(({ request }) => request.url),
    complaints: () => [
      ...of('Log.entryAdded').map(({ entry }) => entry.text),
      ...of('Runtime.exceptionThrown').map(({ exceptionDetails }) => exceptionDetails.text),
    ],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the browser's protocol is not described here
type Wire = any;

async function openWire(address: string) {
  const socket = new WebSocket(address);
  await once(socket as unknown as NodeJS.EventEmitter, 'open');
  const events: Wire[] = [];
  const waiting = new Map<number, (answer: Wire) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result, ...event } = JSON.parse(data);
    if (id === undefined) events.push(event);
    else waiting.get(id)?.(result);
  };
  const call = (method: string, params = {}): Promise<Wire> =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { call, events };
}

async function eventually<T>(what: string, look: () => Promise<T | null | undefined>): Promise<T> {
  for (
    const deadline = performance.now() + 120_000;
    performance.now() < deadline;
    await sleep(100)
  ) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${what}`);
}
