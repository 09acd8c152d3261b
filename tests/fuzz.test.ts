import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import { MARKETPLACES, ORDER_STATUSES } from '../src/connectors/contract.ts';
import { createKey, KEY_SCOPES } from '../src/features/keys/index.ts';
import { createEndpoint } from '../src/features/webhooks-out/index.ts';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { openWire, seen, sendOnce, type WireAnswer } from './spec/support/wire.ts';
import { anOrder, openApp } from './support/app.ts';
import { assertKeepsContract } from './support/contract.ts';

// Whatever is sent to any address: no answer is 500 or more, and every one keeps the published
// contract. FUZZ_RUNS requests a route (the battery takes 5,000); FUZZ_SEED repeats a run.

const RUNS = Number(process.env.FUZZ_RUNS ?? 500);
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ_RUNS ? Date.now() : 20_261_121));
const FRESH_WINDOW_EVERY = 40;

const instance = await openApp(WHOLE_FILE, {
  env: { MERCADO_LIBRE_CLIENT_ID: '7400123456789012', MERCADO_LIBRE_CLIENT_SECRET: 'x' },
});
const market = await startMercadoLibre({
  seed: 1,
  now: () => instance.clock.now().epochMilliseconds,
});
WHOLE_FILE.after(() => market.close());
const account = await connectMarket();
const keys = await openKeys();
const cursors = await collectCursors();

interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly authorization: string | null;
  readonly body: string | null;
}

const ROUTES: Record<
  string,
  { path: fc.Arbitrary<string>; names: string[]; body: fc.Arbitrary<string> }
> = {};

/** Percent-encodes UTF-8, half characters included, which the platform's own function refuses. */
function encode(text: string): string {
  return [...text]
    .map((character) =>
      character.isWellFormed()
        ? encodeURIComponent(character)
        : `%ED%${(0x80 + ((character.charCodeAt(0) >> 6) & 0x3f)).toString(16)}%${(0x80 + (character.charCodeAt(0) & 0x3f)).toString(16)}`,
    )
    .join('');
}

const times = fc.oneof(
  fc
    .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-11-16T18:00:00Z',
    '2026-11-16T18:00:00.000001Z',
    '2026-11-16T18:00:00+05:30',
    '2026-11-16T18:00:00 05:30',
    '2026-11-16',
    '2026-02-30T00:00:00Z',
    '2026-12-31T23:59:60Z',
    '+275760-09-13T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59.999999999-23:59',
    '2026-11-16T18:00:00Z[u-ca=hebrew]',
    'Infinity',
    '1e400',
  ),
);
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 10,
  }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '__proto__',
    'constructor',
    'toString',
    '[object Object]',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1',
    '100',
    '101',
    '9007199254740993',
    '1e3',
    "' or '1'='1",
    '"; drop table orders; --',
    '#{7*7}',
    '../../../etc/passwd',
    '%00',
    '%',
    '{"a":1}',
    '[]',
    'a,b,,c',
    ',',
    '\u2028',
    '\ud800',
    'İ',
    '🌺'.repeat(20),
  ),
  fc.integer({ min: 1, max: 9_000 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 1, max: 900 }).map((length) => 'ñ,'.repeat(length)),
  times,
);
const raw = fc.constantFrom(
  '%',
  '%zz',
  '%0',
  '%ED%A0%80',
  '%ff',
  '%F0%9F',
  '%u0041',
  '+',
  '&',
  '=',
  ';',
  '\xe9',
  '"',
  '<',
  '\\',
);
const realCursors = fc.constantFrom(...cursors);
const cursorValues = fc.oneof(
  { weight: 3, arbitrary: realCursors },
  fc.base64String({ maxLength: 300 }).map((text) => text.replace(/[+/=]/g, '-')),
  fc.tuple(realCursors, fc.nat(400)).map(([cursor, length]) => cursor.slice(0, length)),
  fc.tuple(realCursors, fc.nat(3_000)).map(([cursor, bit]) => flip(cursor, bit)),
  fc
    .tuple(realCursors, realCursors)
    .map(([a, b]) => a.slice(0, a.length / 2) + b.slice(b.length / 2)),
);
const SENSIBLE: Record<string, fc.Arbitrary<string>> = {
  limit: fc.integer({ min: -1, max: 102 }).map(String),
  cursor: cursorValues,
  from: times,
  to: times,
  updated_since: times,
  status: fc.subarray([...ORDER_STATUSES]).map((values) => values.join(',')),
  marketplace: fc.subarray([...MARKETPLACES], { maxLength: 3 }).map((values) => values.join(',')),
  account_id: fc.constantFrom('468424240', '1', 'import', 'x'),
  state: fc.base64String(),
  code: fc.string(),
};

function queryOf(known: readonly string[]): fc.Arbitrary<readonly string[]> {
  const names = known.length > 0 ? fc.constantFrom(...known) : fc.constant('');
  const sensible = names.chain((name) =>
    Object.hasOwn(SENSIBLE, name)
      ? (SENSIBLE[name] as fc.Arbitrary<string>).map((value) => `${name}=${encode(value)}`)
      : fc.constant(name),
  );
  const strangeName = fc
    .oneof(texts, fc.constantFrom('limit[]', 'status[0]', 'status[a]', 'LIMIT', 'cursor ', 'a.b'))
    .map(encode);
  const strangeValue = fc.oneof(
    { weight: 3, arbitrary: texts.map(encode) },
    raw,
    texts.map((text) => encode(encode(text))),
  );
  const hostile = fc
    .tuple(fc.oneof({ weight: 8, arbitrary: names }, strangeName), strangeValue)
    .map((pair) => pair.join('='));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 6,
      arbitrary: known.length > 0 ? fc.array(sensible, { maxLength: 3 }) : fc.constant([]),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(hostile, fc.array(sensible, { maxLength: 2 }))
        .map((parts) => parts.flat()),
    },
    fc.array(fc.oneof(hostile, sensible, raw), { maxLength: 30 }),
  );
}

const ids = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('A1', 'twin', 'a/b', 'paid-1', 'none') },
  texts,
);
const json = fc.oneof(
  fc
    .record({
      resource: fc.oneof(
        fc
          .constantFrom('/orders/', '/shipments/', '/items/MLM', '/orders/search?x=')
          .chain((start) =>
            fc
              .oneof(
                fc.stringMatching(/^[\w-]{0,30}$/),
                texts,
                fc.integer({ min: 100, max: 200_000 }).map(noise),
              )
              .map((rest) => start + rest),
          ),
        fc.json(),
      ),
      topic: texts,
      user_id: fc.oneof(
        { weight: 4, arbitrary: fc.constant(account as unknown) },
        texts,
        fc.integer(),
        fc.jsonValue(),
      ),
      application_id: fc.oneof(
        fc.constant(7_400_123_456_789_012 as unknown),
        texts,
        fc.constant(null),
      ),
    })
    .map((notice) => JSON.stringify(notice)),
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    '',
    '{',
    'null',
    '\0',
    '\ufeff{}',
    '{"user_id":1e999,"resource":"/orders/1","topic":"x"}',
    `{"user_id":"\\u0000","resource":"/orders/1","topic":"x"}`,
    `{"user_id":${account},"resource":"/orders/\\u0000","topic":"\\u0000"}`,
    `{"user_id":${account},"resource":"\\ud800","topic":"\\ud800"}`,
    `{"__proto__":{"user_id":${account}},"resource":"/orders/1","topic":"x"}`,
    '['.repeat(200_000),
    '{"a":'.repeat(50_000),
    `"${'x'.repeat(300_000)}"`,
  ),
  texts,
);
const forms = fc.oneof(fc.constant(''), texts, fc.json());

/** Bodies of the management API, mostly with its fields. */
const endpointBodies = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record(
        {
          url: fc.constant('https://example.com/hook'),
          types: fc.array(fc.constantFrom('order.created', 'guide.failed')),
          marketplaces: fc.array(fc.constantFrom(...MARKETPLACES), { maxLength: 5 }),
          accounts: fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 3 }),
          rate: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constant(null)),
          signature: fc.constantFrom('hmac', 'ed25519'),
        },
        { requiredKeys: ['url'] },
      )
      .map((body) => JSON.stringify(body)),
  },
  {
    weight: 8,
    arbitrary: fc
      .record(
        {
          url: fc.oneof(fc.webUrl(), texts, fc.integer()),
          types: fc.oneof(fc.array(fc.constantFrom('order.created', 'x', '\0')), texts),
          marketplaces: fc.array(fc.constantFrom(...MARKETPLACES, '__proto__'), { maxLength: 5 }),
          accounts: fc.array(texts, { maxLength: 3 }),
          rate: fc.oneof(fc.integer(), fc.double(), texts),
          headers: fc.dictionary(texts, fc.oneof(texts, fc.integer()), { maxKeys: 3 }),
          signature: fc.constantFrom('hmac', 'none'),
          state: fc.constantFrom('enabled', 'disabled', 'x'),
          event_id: texts,
          since: fc.oneof(times, texts),
        },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify(body)),
  },
  json,
);

Object.assign(ROUTES, {
  '/v1/orders': {
    path: fc.constant('/v1/orders'),
    names: [
      'limit',
      'cursor',
      'from',
      'to',
      'updated_since',
      'status',
      'marketplace',
      'account_id',
    ],
    body: forms,
  },
  '/v1/orders/{id}': {
    path: fc
      .oneof({ weight: 6, arbitrary: ids.map(encode) }, raw, texts)
      .map((id) => `/v1/orders/${id.replace(/[\s\0?#]/g, '')}`),
    names: ['marketplace', 'account_id'],
    body: forms,
  },
  '/v1/me': { path: fc.constant('/v1/me'), names: [], body: forms },
  '/v1/openapi.json': { path: fc.constant('/v1/openapi.json'), names: [], body: forms },
  '/manage/v1/events': {
    path: fc.constant('/manage/v1/events'),
    names: ['limit', 'cursor', 'type', 'since'],
    body: forms,
  },
  'POST /manage/v1/webhook-endpoints': {
    path: fc.constant('/manage/v1/webhook-endpoints'),
    names: [],
    body: endpointBodies,
  },
  'POST /manage/v1/webhook-endpoints/{id}': {
    path: fc
      .tuple(
        fc.oneof({ weight: 6, arbitrary: fc.constant(keys.endpoint) }, ids.map(encode), raw),
        fc.constantFrom('', '/rotate-secret', '/test', '/resend', '/resend', '/attempts', '/x'),
      )
      .map(([id, act]) => `/manage/v1/webhook-endpoints/${id.replace(/[\s\0?#]/g, '')}${act}`),
    names: ['limit', 'cursor'],
    body: endpointBodies,
  },
  'POST /api/webhooks/mercado_libre': {
    path: fc.oneof(
      { weight: 12, arbitrary: fc.constant('/api/webhooks/mercado_libre') },
      fc.oneof(texts.map(encode), raw).map((slug) => `/api/webhooks/${slug}`),
    ),
    names: ['secret'],
    body: json,
  },
  '/connect/mercado_libre': {
    path: fc.oneof(
      { weight: 12, arbitrary: fc.constant('/connect/mercado_libre') },
      fc.oneof(texts.map(encode), raw).map((slug) => `/connect/${slug}`),
    ),
    names: ['state', 'code', 'error'],
    body: forms,
  },
  '/healthz': { path: fc.constant('/healthz'), names: [], body: forms },
  '/readyz': { path: fc.constant('/readyz'), names: [], body: forms },
  'unknown addresses': {
    path: fc
      .oneof(
        fc.array(
          fc.oneof(texts.map(encode), raw, fc.constantFrom('v1', 'v2', 'orders', '..', '.', '')),
          {
            maxLength: 5,
          },
        ),
      )
      .map((parts) => `/${parts.join('/')}`),
    names: ['limit'],
    body: forms,
  },
});

const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constant('GET') },
  fc.constantFrom(
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'QUERY',
    'PROPFIND',
    'M-SEARCH',
    'FOO',
    'get',
  ),
);
const authorizations = fc.oneof(
  { weight: 10, arbitrary: fc.constant(`Bearer ${keys.good}`) },
  fc.constantFrom(
    null,
    `Bearer ${keys.poor}`,
    `Bearer ${keys.narrow}`,
    `Bearer ${keys.good}x`,
    `bearer  ${keys.good} `,
    `Basic ${keys.good}`,
    'Bearer',
    'Bearer ',
    `Bearer ${'x'.repeat(8_000)}`,
    `Bearer ${'\xff'.repeat(49)}`,
    `${keys.good}`,
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
);
const headerValues = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 40 }) },
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      '',
      '*',
      'gzip',
      'br;q=0',
      '*;q=0',
      'identity;q=0',
      'gzip;q=abc',
      'zstd',
      'GZIP',
      ';',
      ',',
    ),
  },
  fc.constantFrom('\xe9', '\x7f', '\x01', '\r'),
  fc.integer({ min: 1, max: 17_000 }).map((length) => 'h'.repeat(length)),
);
const headerLists = fc.array(
  fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'Accept-Language',
      'Content-Type',
      'Content-Encoding',
      'Cookie',
      'Expect',
      'Forwarded',
      'If-None-Match',
      'If-Modified-Since',
      'Origin',
      'Range',
      'TE',
      'Traceparent',
      'Upgrade',
      'X-Forwarded-For',
      'X-HTTP-Method-Override',
      'X-Request-Id',
      '__proto__',
    ),
    headerValues,
  ),
  { maxLength: 3 },
);

for (const [name, { path, names, body }] of Object.entries(ROUTES)) {
  test(`fuzz ${name}: no answer of 500 or more, every one in the envelope`, {
    tags: ['slow'],
  }, async (t) => {
    const requests = fc.record<HostileRequest>({
      method: name.startsWith('POST')
        ? fc.oneof({ weight: 9, arbitrary: fc.constant('POST') }, methods)
        : methods,
      path,
      query: queryOf(names),
      headers: headerLists,
      authorization: authorizations,
      body: fc.option(body, { freq: name.startsWith('POST') ? 20 : 2 }),
    });
    const statuses: Record<number, number> = {};
    const wire = openWire(instance.url);
    t.after(wire.close);
    let count = 0;

    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        // The guard of the address begins anew, or most answers would be its 429.
        if (++count % FRESH_WINDOW_EVERY === 0) instance.clock.advance({ seconds: 61 });
        const answer = await wire.send(bytesOf(request));
        assert.ok(answer, 'the server hung up');
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        assertGood(request, answer);
      }),
      { numRuns: RUNS, seed: SEED, verbose: 0 },
    );

    t.diagnostic(`${count} requests, seed ${SEED}: ${JSON.stringify(statuses)}`);
    const reached = [200, 201, 202].reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
    if (name !== '/connect/mercado_libre' && name !== 'unknown addresses')
      assert.ok(reached > RUNS / 50, 'the generator reaches the inside');
  });
}

for (const [what, notice] of [
  ['a NUL in user_id', { user_id: '\0', resource: '/orders/1' }],
  [
    'a resource longer than an index takes',
    { user_id: account, resource: `/orders/${noise(200_000)}` },
  ],
] as const) {
  test(`a notification with ${what} is no defect of ours`, async () => {
    const body = JSON.stringify({ topic: 'orders_v2', ...notice });
    const { status } = await instance.api(
      '/api/webhooks/mercado_libre',
      {},
      { method: 'POST', body },
    );

    assert.ok(status < 500, `${status}`);
  });
}

test('fuzz framing: bytes that are hardly HTTP get an answer of 4xx in the envelope, or none', async (t) => {
  const pieces = fc.constantFrom(
    'GET ',
    'POST ',
    '/v1/me',
    '/v1/orders?limit=',
    ' HTTP/1.1',
    ' HTTP/1.0',
    ' HTTP/9.9',
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    'Host: a',
    'Host: ',
    `Authorization: Bearer ${keys.good}`,
    'Content-Length: 5',
    'Content-Length: 99999999999999999999',
    'Content-Length: -1',
    'Content-Length: 0x5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, gzip',
    'Transfer-Encoding: xchunked',
    '5\r\nhello\r\n0\r\n\r\n',
    'fffffffffffffffff\r\n',
    '\x80\xff',
    'x'.repeat(9_000),
  );
  let [answered, silent] = [0, 0];

  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 14 }), async (parts) => {
      // Ended for certain: half a request would be waited for.
      const bytes = Buffer.from(`${parts.join('')}\r\n\r\n\r\n\x01\r\n\r\n`, 'latin1');
      const answer = await sendOnce(instance.url, bytes).catch(() => null);
      if (!answer) return void silent++;
      answered++;
      assert.ok(answer.status < 500, `${answer.status}`);
      assertKeepsContract(seen(answer, 'OTHER', `${instance.url}/`));
    }),
    { numRuns: Math.ceil(RUNS / 3), seed: SEED },
  );

  t.diagnostic(`${answered} answered, ${silent} not, seed ${SEED}`);
  assert.ok(answered > silent);
});

test('after all of that the instance runs, and no order changed', async () => {
  assert.equal((await instance.api('/readyz')).status, 200);
  const { body } = await instance.api('/v1/orders', { limit: 100 }, { key: keys.good });
  assert.equal(body.data.length, 24);
});

function assertGood({ method, path, query }: HostileRequest, answer: WireAnswer): void {
  const target = path + (query.length > 0 ? `?${query.join('&')}` : '');
  const what = `${method} ${target.slice(0, 300)} → ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.ok(answer.status >= 200 && answer.status < 500, what);
  if (answer.headers.get('content-type')?.startsWith('text/html')) {
    assert.ok(path.startsWith('/connect/'), what);
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    assert.match(answer.headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
    return;
  }
  // Where the client's URL rules and the bytes disagree, the envelope alone is compared.
  const url = URL.parse(path, instance.url);
  assertKeepsContract(seen(answer, method, url?.pathname === path ? url.href : `${instance.url}/`));
}

function bytesOf({ method, path, query, headers, authorization, body }: HostileRequest): Buffer {
  const target = path + (query.length > 0 ? `?${query.join('&')}` : '');
  const content = Buffer.from(body ?? '', 'utf8');
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: tianguis',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
    ...(body === null ? [] : [`Content-Length: ${content.length}`]),
    ...(path.startsWith('/manage/') ? ['Content-Type: application/json'] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

async function connectMarket(): Promise<number> {
  const [seller] = market.sellers;
  await instance.connect('mercado_libre', { url: market.url, credentials: market.credentials() });
  return seller?.id ?? 0;
}

async function openKeys() {
  const [rich, poor] = [await openShop(instance, 'experto'), await openShop(instance, 'basico')];
  await instance.app.database.write((handle) =>
    handle.sql('update organizations set quota_override = 1000000000', []),
  );
  const narrow = await instance.app.database
    .within(rich.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'x', scopes: ['sales:read'] }));
  const { manager, endpoint } = await instance.app.database
    .within(rich.organization.id)
    .write(async (scope) => ({
      manager: await createKey(scope, 'operator', { name: 'm', scopes: KEY_SCOPES }),
      endpoint: await createEndpoint(scope, 'operator', { url: 'https://example.com/' }, 20),
    }));
  const many = Array.from({ length: 20 }, (_, index) =>
    anOrder({
      id: `${ORDER_STATUSES[index % 10]}-${index}`,
      status: ORDER_STATUSES[index % 10] ?? 'paid',
    }),
  );
  await rich.record(
    ...many,
    anOrder({ id: 'A1' }),
    anOrder({ id: 'a/b' }),
    anOrder({ id: 'twin' }),
    anOrder({ id: 'twin', marketplace: 'vtex' }),
  );
  return { good: manager.key, poor: poor.key, narrow: narrow.key, endpoint: endpoint.id };
}

async function collectCursors(): Promise<string[]> {
  const queries = [{}, { status: 'paid' }, { updated_since: '2000-01-01T00:00:00Z' }];
  const pages = await Promise.all(
    queries.map((query) => instance.api('/v1/orders', { ...query, limit: 1 }, { key: keys.good })),
  );
  return pages.map(({ body }) => body.pagination.next_cursor);
}

function flip(cursor: string, bit: number): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('base64url');
}

/** Text that no compression makes shorter. */
function noise(length: number): string {
  let state = length;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'[state >>> 26];
  }).join('');
}
