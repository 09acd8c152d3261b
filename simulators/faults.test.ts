import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFaults, type Fault } from './faults.ts';
import { perMinuteLimit, serve } from './http.ts';

async function open(t: TestContext) {
  const faults = createFaults({ seed: 7 });
  const rows = (offset: number) =>
    [offset, offset + 1].map((id) => ({ id, at: '2026-11-16T10:00:00.000-04:00' }));
  const server = await serve({
    routes: {
      'GET /rows': ({ query }) => ({
        body: { results: rows(Number(query.get('offset') ?? 0)), total: 6 },
      }),
      'GET /rows/:id': ({ params }) => ({
        body: { id: params.id, total: 12.5, lines: [{ sku: 'A' }] },
      }),
      'POST /echo': (call) => ({ status: 201, body: call.json() }),
    },
    missing: { status: 404, body: { message: 'not here' } },
    through: faults.through,
  });
  t.after(server.close);
  const get = (path: string) => fetch(`${server.url}${path}`);
  const failing = async (fault: Fault, path = '/rows') => {
    faults.next(fault);
    return get(path);
  };
  return { faults, server, get, failing };
}

test('a route has parameters, a body, and a marketplace of its own says what is not there', async (t) => {
  const { server, get } = await open(t);

  const echo = await fetch(`${server.url}/echo`, { method: 'POST', body: '{"año":1}' });

  assert.deepEqual([echo.status, await echo.json()], [201, { año: 1 }]);
  assert.deepEqual(await (await get('/rows/A%20B')).json(), {
    id: 'A B',
    total: 12.5,
    lines: [{ sku: 'A' }],
  });
  assert.equal((await get('/nowhere')).status, 404);
});

test('a planned fault comes true once, or as often as requested, and only where it matches', async (t) => {
  const { faults, get } = await open(t);
  faults.next({ kind: 'server_error', match: /offset=2/, times: 2 });

  const statuses: number[] = [];
  for (const path of ['/rows', '/rows?offset=2', '/rows?offset=2', '/rows?offset=2']) {
    statuses.push((await get(path)).status);
  }

  assert.deepEqual(statuses, [200, 500, 500, 200]);
  assert.equal(faults.waiting(), 0);
});

test('429 comes with and without Retry-After', async (t) => {
  const { failing } = await open(t);

  const silent = await failing({ kind: 'too_many' });
  const answer = await failing({ kind: 'too_many_retry_after', retryAfter: 3 });

  assert.deepEqual([silent.status, silent.headers.get('retry-after')], [429, null]);
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '3']);
});

test('a bad gateway speaks HTML', async (t) => {
  const { failing } = await open(t);

  const answer = await failing({ kind: 'bad_gateway' });

  assert.equal(answer.status, 502);
  assert.match(await answer.text(), /^<html>/);
});

test('a time-out is never answered', async (t) => {
  const { faults, server } = await open(t);
  const patience = new AbortController();
  faults.next({ kind: 'timeout' });

  const asking = assert.rejects(fetch(`${server.url}/rows`, { signal: patience.signal }), {
    name: 'AbortError',
  });
  while (server.requests.length === 0) await sleep(5);
  await sleep(30);
  patience.abort();
  await asking;
  assert.deepEqual(
    server.requests.map(({ status, fault }) => [status, fault]),
    [[0, 'timeout']],
  );
});

test('a reset breaks off in the middle of the body', async (t) => {
  const { failing } = await open(t);

  await assert.rejects(async () => (await failing({ kind: 'reset' })).text());
});

for (const kind of ['truncated', 'garbage'] as const) {
  test(`${kind}: whole HTTP, broken JSON`, async (t) => {
    const { failing } = await open(t);

    const answer = await failing({ kind });

    assert.equal(answer.status, 200);
    await assert.rejects(answer.json(), SyntaxError);
  });
}

test('a huge body is ten megabytes of JSON', async (t) => {
  const { failing } = await open(t);

  assert.ok((await (await failing({ kind: 'huge' })).text()).length > 10 * 2 ** 20);
});

test('a wrong type hits the first row of a page, or the field of a document, and leaves the rest', async (t) => {
  const { failing } = await open(t);

  const page = await failing({ kind: 'wrong_type', field: 'id', value: { no: true } });
  const one = await failing({ kind: 'wrong_type', field: 'total' }, '/rows/1');

  const { results } = (await page.json()) as { results: { id: unknown }[] };
  assert.deepEqual(
    results.map(({ id }) => id),
    [{ no: true }, 1],
  );
  assert.equal(typeof ((await one.json()) as { total: unknown }).total, 'string');
});

test('a field further inside is named by its path', async (t) => {
  const { failing } = await open(t);

  const answer = await failing({ kind: 'wrong_type', field: 'lines.0.sku', value: 7 }, '/rows/1');

  assert.deepEqual(await answer.json(), { id: '1', total: 12.5, lines: [{ sku: 7 }] });
});

test('pages come twice, upside down, or for ever', async (t) => {
  const { faults, get } = await open(t);
  const ids = async (offset: number) => {
    const { results } = (await (await get(`/rows?offset=${offset}`)).json()) as {
      results: { id: number }[];
    };
    return results.map(({ id }) => id);
  };

  assert.deepEqual(await ids(0), [0, 1]);
  faults.next({ kind: 'duplicate_page' });
  assert.deepEqual(await ids(2), [0, 1]);
  faults.next({ kind: 'shuffled_page' });
  assert.deepEqual(await ids(2), [3, 2]);
  faults.next({ kind: 'endless_page', times: Number.POSITIVE_INFINITY });
  assert.deepEqual(
    [await ids(2), await ids(4), await ids(6)],
    [
      [2, 3],
      [2, 3],
      [2, 3],
    ],
  );
  faults.stop();
  assert.deepEqual(await ids(4), [4, 5]);
});

test('a shifted clock moves every time and keeps how it is written', async (t) => {
  const { failing } = await open(t);

  const answer = await failing({ kind: 'shifted_clock', shift: 86_400_000 });

  assert.match(await answer.text(), /2026-11-17T10:00:00\.000-04:00/);
});

test('chance follows its seed and ends when stopped', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const statuses: number[][] = [];
  for (const { faults, get } of [one, two]) {
    faults.random({ probability: 0.5, kinds: ['too_many', 'server_error'] });
    const seen: number[] = [];
    for (let call = 0; call < 20; call += 1) seen.push((await get('/rows')).status);
    faults.stop();
    statuses.push(seen);
    assert.equal((await get('/rows')).status, 200);
  }

  assert.deepEqual(statuses[0], statuses[1]);
  assert.deepEqual(new Set(statuses[0]), new Set([200, 429, 500]));
});

test('every request is in the log with its query, status and fault', async (t) => {
  const { faults, server, get } = await open(t);
  faults.next({ kind: 'too_many' });

  await get('/rows?offset=2');
  await get('/rows');

  assert.deepEqual(
    server.requests.map(({ method, path, status, fault }) => [method, path, status, fault]),
    [
      ['GET', '/rows?offset=2', 429, 'too_many'],
      ['GET', '/rows', 200, null],
    ],
  );
});

test('a limit lets so many pass in any minute', () => {
  let now = 0;
  const passes = perMinuteLimit(2, () => now);

  const first = [passes('a'), passes('a'), passes('a'), passes('b')];
  now = 60_001;

  assert.deepEqual([...first, passes('a')], [true, true, false, true, true]);
});
