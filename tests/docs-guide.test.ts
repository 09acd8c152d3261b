import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, callApi, openApp } from './support/app.ts';

// The guide's code runs as the page gives it, in the folder of the person who copied it.

const instance = await openApp(WHOLE_FILE, { env: { QUOTA_WINDOW_SECONDS: '2' } });
const LATER = Temporal.Instant.from('2026-11-15T13:00:00Z');
const AS_OF = { as_of: '2026-11-15T13:00:00.000001Z' };
const PROGRAMS = [
  { id: 'codigo-curl', command: 'sh', needs: ['curl', 'jq'], file: 'ordenes.sh' },
  { id: 'codigo-node', command: process.execPath, needs: [], file: 'ordenes.mjs' },
  { id: 'codigo-python', command: 'python3', needs: ['python3'], file: 'ordenes.py' },
] as const;

for (const { id, command, needs, file } of PROGRAMS) {
  const missing = needs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  const skip = missing.length > 0 && `there is no ${missing.join(' nor ')}`;

  test(`${file} fetches every order once, then the changes alone, and nothing where there are none`, {
    tags: ['slow'],
    skip,
  }, async (t) => {
    const shop = await openShop(instance);
    const orders = Array.from({ length: 230 }, (_, at) => anOrder({ id: String(at) }));
    await shop.record(...orders);
    const run = await inFolderOf(t, { command, file, code: await codeOf(id) });

    const first = await run(shop.key);
    await shop.record(anOrder({ id: '7', status: 'shipped', changedAt: LATER }));
    const second = await run(shop.key);
    const third = await run(shop.key);

    assert.deepEqual(
      idsIn(first.out).toSorted(),
      orders.map((order) => order.id).toSorted(),
      first.said,
    );
    assert.deepEqual(idsIn(second.out), ['7'], second.said);
    assert.deepEqual([third.out, third.code], ['', 0], third.said);
  });

  test(`${file} waits for the quota, and a refused key ends it with the message`, {
    tags: ['slow'],
    skip,
  }, async (t) => {
    const shop = await openShop(instance);
    await shop.record(anOrder({ id: '1' }));
    const run = await inFolderOf(t, { command, file, code: await codeOf(id) });
    await Promise.all(Array.from({ length: 500 }, () => shop.get('/v1/me')));

    const waiting = run(shop.key);
    // The quota's window ends by the clock of the test.
    while (!(await Promise.race([waiting.then(() => true), pause(200, false)])))
      instance.clock.advance({ seconds: 1 });
    const after = await waiting;
    const refused = await run('tgs_otra');

    assert.deepEqual(idsIn(after.out), ['1'], after.said);
    assert.notEqual(refused.code, 0);
    assert.match(refused.said, /invalid_api_key/);
    assert.match(refused.said, /req_/);
  });
}

for (const { id, command, needs, file } of PROGRAMS) {
  const missing = needs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  // curl obeys the header each time, without doubling.
  const secondWait = command === 'sh' ? 1_000 : 2_000;

  test(`${file} waits as long as Retry-After says, and then keeps a bookmark that the next run can use`, {
    tags: ['slow'],
    skip: missing.length > 0 && `there is no ${missing.join(' nor ')}`,
  }, async (t) => {
    const { url, askedAt, sinces } = await openRefusing(t, 2);
    const code = (await codeOf(id)).replaceAll(instance.app.exchange.publicUrl, url);
    const run = await inFolderOf(t, { command, file, code });

    const { code: exit, said } = await run('tgs_una');
    const again = await run('tgs_una');

    const [first = 0, second = 0, third = 0] = askedAt;
    assert.deepEqual([exit, again.code, askedAt.length], [0, 0, 4], said);
    assert.ok(second - first >= 1_000, `${second - first} ms`);
    assert.ok(third - second >= secondWait, `${third - second} ms`);
    assert.deepEqual(sinces, [null, null, null, AS_OF.as_of]);
  });
}

test('the first call of the guide gives orders, in one line', {
  skip: spawnSync('curl', ['--version']).error !== undefined && 'there is no curl',
}, async (t) => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ id: 'A1' }));
  const code = await codeOf('codigo-primera');
  const run = await inFolderOf(t, { command: 'sh', file: 'primera.sh', code });

  const { out, said } = await run(shop.key);

  assert.equal(code.split('\n').length, 1);
  assert.equal(JSON.parse(out).data[0].id, 'A1', said);
  assert.ok(code.includes(instance.app.exchange.publicUrl), 'it names this installation');
});

test('guide and reference are pages in Spanish that work without script and name every operation', async () => {
  const guide = await pageAt('/docs/guia');
  const reference = await pageAt('/docs/referencia');
  const anchors = [...reference.matchAll(/<h3 id="(\w+)">/g)].map(([, id]) => id);
  const documents = await Promise.all(
    ['/v1/openapi.json', '/manage/v1/openapi.json'].map((path) =>
      callApi(instance.url, path, {}, {}),
    ),
  );
  const operations = documents.flatMap(({ body }) =>
    Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    ),
  );

  assert.deepEqual(anchors, operations);
  assert.match(reference, /<code>data\[\]\.items\[\]\.sku<\/code>/);
  assert.match(reference, /<code>order_not_found<\/code>/);
  for (const page of [guide, reference]) {
    assert.match(page, /<html lang="es-MX">/);
    assert.doesNotMatch(page, /<script(?! src="\/pagina\/)|tianguis\.example/);
  }
});

test('the guide sends agents to the address that asks for a token', async () => {
  const guide = await pageAt('/docs/guia');
  const [, address = ''] = /asistente de IA a <code>([^<]+)<\/code>/.exec(guide) ?? [];

  const { status, headers } = await fetch(address, { method: 'POST' });

  assert.equal(status, 401);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer /);
});

/** An API that refuses its first requests for a second each, then has no orders. */
async function openRefusing(t: Pick<TestContext, 'after'>, refusals: number) {
  const askedAt: number[] = [];
  const sinces: (string | null)[] = [];
  const server = createServer((request, response) => {
    const isRefused = askedAt.push(performance.now()) <= refusals;
    sinces.push(new URL(request.url ?? '', 'http://api').searchParams.get('updated_since'));
    response.writeHead(isRefused ? 429 : 200, { 'retry-after': '1' });
    const refused = { error: { code: 'rate_limit_exceeded' }, meta: { request_id: 'req_1' } };
    const page = { data: [], pagination: { next_cursor: null, has_more: false }, meta: AS_OF };
    response.end(JSON.stringify(isRefused ? refused : page));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, askedAt, sinces };
}

async function pageAt(path: string): Promise<string> {
  return (await fetch(`${instance.url}${path}`)).text();
}

/** What a person copies from the page. */
async function codeOf(id: string): Promise<string> {
  const page = await pageAt('/docs/guia');
  const [, text = ''] = new RegExp(`<textarea id="${id}"[^>]*>([^<]*)</textarea>`).exec(page) ?? [];
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return text.replace(
    /&(?:#(\d+)|(\w+));/g,
    (_, code, name) => signs[name] ?? String.fromCodePoint(Number(code)),
  );
}

async function inFolderOf(
  t: Pick<TestContext, 'after'>,
  { command, file, code }: { command: string; file: string; code: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-guide-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, file), code);
  return async (key: string) => {
    const env = { ...process.env, TIANGUIS_KEY: key };
    const child = spawn(command, [file], { cwd: folder, env });
    const [out, said] = [child.stdout, child.stderr].map((stream) => stream.toArray());
    const [exit] = await once(child, 'exit');
    const text = async (parts?: Promise<unknown[]>) => Buffer.concat((await parts) as Buffer[]);
    return { code: exit, out: String(await text(out)), said: String(await text(said)) };
  };
}

/** Each program writes a line for an order: marketplace, account, id, status and total. */
function idsIn(out: string): string[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/\s/)[2] ?? '');
}
