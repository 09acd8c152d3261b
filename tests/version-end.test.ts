import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { type Deprecation, deprecate } from '../src/features/deprecations/index.ts';
import { revokeKey } from '../src/features/keys/index.ts';
import { addMember } from '../src/features/people/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { joined, type Known, known, openMailingInstance } from './support/people.ts';
import { mailsTo } from './support/visitor.ts';

// The end of a version of the API: announced, repeated in each answer and by mail, and kept.

const clock = turnedClock(systemClock.now().toString());
const { instance, folder } = await openMailingInstance(WHOLE_FILE, clock);
const { database } = instance.app;
const owner = await known(instance, folder);
const shop = await openShop(instance);
await join(shop, owner, 'owner');
const admin = await joined(instance, folder, shop.organization.id, { by: owner, role: 'admin' });
await joined(instance, folder, shop.organization.id, { by: owner, role: 'warehouse' });

const NEXT = 'https://api.example.com/v2';

test('deprecate announces an end at least 365 days ahead, and refuses anything else', async () => {
  const now = systemClock.now();
  const run = (...args: string[]) => runHere(['deprecate', ...args, '--json'], instance.env);
  const refused: [args: string[], says: RegExp][] = [
    [['v1', '--sunset', now.add({ hours: 24 * 364 }).toString()], /al menos 365 días/],
    [['v1', '--sunset', 'mañana'], /debe ser un día, como 2028-01-31, o una fecha con hora/],
    [['v2', '--sunset', now.add({ hours: 24 * 400 }).toString()], /No existe la versión «v2»/],
    [['v1', '--sunset', now.add({ hours: 24 * 400 }).toString(), '--successor', 'v2'], /completa/],
  ];
  for (const [args, says] of refused) {
    const { code, stdout } = await run(...args);
    assert.equal(code, 1, stdout);
    assert.match(stdout, says);
  }
  assert.deepEqual(await sql('select version from api_deprecations'), []);

  const sunset = `${now
    .add({ hours: 24 * 400 })
    .toString()
    .slice(0, 19)}Z`;
  const made = await run('v1', '--sunset', sunset, '--successor', NEXT);
  assert.equal(made.code, 0, made.stderr);
  const later = `${now
    .add({ hours: 24 * 500 })
    .toString()
    .slice(0, 19)}Z`;
  const moved = await run('v1', '--sunset', later);

  const day = await run('v1', '--sunset', '2038-01-31');

  assert.equal(day.json.sunset_at, '2038-01-31T06:00:00.000Z');
  assert.equal(made.json.sunset_at, `${sunset.slice(0, 19)}.000Z`);
  assert.equal(made.json.successor, NEXT);
  assert.deepEqual(moved.json, {
    version: 'v1',
    deprecated_at: made.json.deprecated_at,
    sunset_at: `${later.slice(0, 19)}.000Z`,
    successor: null,
  });
});

test('from the announcement on each answer of v1 has Deprecation, Sunset and Link; others have none', async () => {
  await sql('delete from api_deprecations');
  await soon(async () => {
    clock.advance({ seconds: 31 });
    assert.deepEqual(await headersAt('/v1/me'), [null, null, null]);
  });
  const { deprecatedAt, sunsetAt } = await announce({ months: 14, successor: NEXT });
  const page = `<${instance.app.exchange.publicUrl}/docs/guia#versiones>`;
  const expected = [
    `@${Math.floor(deprecatedAt.epochMilliseconds / 1000)}`,
    new Date(sunsetAt.epochMilliseconds).toUTCString(),
    `${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"; type="text/html", <${NEXT}>; rel="successor-version"`,
  ];

  await soon(async () => assert.deepEqual(await headersAt('/v1/me'), expected));
  for (const [path, status, options] of [
    ['/v1/orders', 200, {}],
    ['/v1/orders', 200, { method: 'HEAD' }],
    ['/v1/openapi.json', 200, {}],
    ['/v1/orders', 401, { key: null }],
    ['/v1/orders/none', 404, {}],
    ['/v1/nothing', 404, {}],
    ['/v1/orders?limit=0', 400, {}],
    ['/v1/orders', 405, { method: 'DELETE' }],
  ] as const)
    assert.deepEqual(await headersAt(path, options, status), expected, `${path} ${status}`);
  assert.ok(expected[0] && deprecatedAt.epochMilliseconds <= sunsetAt.epochMilliseconds);
  for (const path of ['/manage/v1/webhook-endpoints', '/healthz', '/docs/guia', '/v10'])
    assert.deepEqual(await headersAt(path), [null, null, null], path);
  const guide = await fetch(`${instance.url}/docs/guia`, { headers: { accept: 'text/html' } });
  assert.match(await guide.text(), /<h2 id="versiones">/);
});

test('managers of keys used within 30 days get a mail 12, 6 and 1 months before the end, once each', {
  tags: ['slow'],
}, async () => {
  const { sunsetAt } = await announce({ months: 13 });
  const [unused, revoked, alone] = await Promise.all([1, 2, 3].map(() => openShop(instance)));
  assert.ok(unused && revoked && alone);
  for (const one of [unused, revoked]) await join(one, owner, 'owner');
  for (const one of [revoked, alone]) await use(one);
  await use(unused, clock.now().subtract({ hours: 24 * 31 }));
  await database.write((handle) => revokeKey(handle, 'operator', revoked.keyId));
  const [toOwner, toAdmin] = await Promise.all([mailsAbout(owner), mailsAbout(admin)]);
  const before = await mailed();
  const monthsMailed: [month: string, mails: number][] = [];

  for (let last = before; clock.millis() < sunsetAt.epochMilliseconds; ) {
    await use(shop);
    await housekeeping();
    const mails = await mailed();
    if (mails > last) monthsMailed.push([monthsLeft(sunsetAt), mails - last]);
    last = mails;
    clock.advance({ hours: 24 * 9 });
  }

  assert.deepEqual(monthsMailed, [
    ['11', 2],
    ['5', 2],
    ['0', 2],
  ]);
  await instance.app.worker?.tick();
  await soon(async () => {
    assert.equal((await mailsAbout(owner)).length, toOwner.length + 3);
    assert.equal((await mailsAbout(admin)).length, toAdmin.length + 3);
  }, 30_000);
  const mail = (await mailsAbout(owner)).at(-1) ?? '';
  const day = sunsetAt
    .toZonedDateTimeISO('America/Mexico_City')
    .toLocaleString('es-MX', { dateStyle: 'medium' });
  assert.ok(mail.includes(`La versión v1 de la API de Tianguis se retira el ${day}.`), mail);
  assert.match(mail, /claves de API de «Tienda de prueba»/);
  assert.match(mail, /http:\/\/[^/]+\/docs\/guia/);
});

test('an organisation that begins to use its keys later gets the mail then, and a moved end is announced anew', async () => {
  const late = await openShop(instance);
  await join(late, owner, 'owner');
  const { sunsetAt } = await announce({ months: 15 });
  clock.advance({ hours: 24 * 31 * 5 });
  await housekeeping();
  const before = await mailed();

  await use(late);
  await housekeeping();
  const first = (await mailed()) - before;
  await announce({ at: sunsetAt.add({ hours: 24 }) });
  await housekeeping();
  await housekeeping();

  assert.deepEqual([first, (await mailed()) - before], [1, 2]);
});

test('of several processes that look at once, one sends the mails', async () => {
  await announce({ months: 13 });
  clock.advance({ hours: 24 * 45 });
  await use(shop);
  const before = await mailed();

  await Promise.all(Array.from({ length: 6 }, housekeeping));

  assert.equal((await mailed()) - before, 2);
});

test('from its end on each request to the version is answered 410, and counts', async () => {
  const { sunsetAt } = await announce({ months: 13, successor: NEXT });
  const header = new Date(sunsetAt.epochMilliseconds).toUTCString();
  await soon(async () => assert.equal((await headersAt('/v1/me'))[1], header));
  const until = clock.now().until(sunsetAt, { largestUnit: 'hours' });
  clock.advance(until.subtract({ seconds: 1 }));
  const last = await shop.get('/v1/me');
  clock.advance({ seconds: 1 });

  const first = await shop.get('/v1/me');
  assert.deepEqual([last.status, first.status], [200, 410]);
  assert.equal(first.body.error.code, 'version_retired');
  assert.ok(first.body.error.message.includes(NEXT), first.text);
  assert.equal(first.headers.get('sunset'), header);
  for (const path of ['/v1/openapi.json', '/v1/orders/x', '/v1/nothing', '/v1/orders/%zz'])
    assert.notEqual((await headersAt(path, {}, 410))[0], null, path);
  await headersAt('/v1/me', { key: null }, 410);
  const remaining = async () =>
    Number((await shop.get('/v1/me')).headers.get('x-ratelimit-remaining'));
  assert.equal((await remaining()) - (await remaining()), 1);
  const manage = await headersAt('/manage/v1/webhook-endpoints', {}, 403);
  assert.deepEqual(manage, [null, null, null]);
});

/** Anew, so that each test has its own. */
async function announce(
  end: { months: number; successor?: string } | { at: Temporal.Instant },
): Promise<Deprecation> {
  const isNew = 'months' in end;
  if (isNew) await sql('delete from api_deprecations');
  const sunsetAt = isNew
    ? clock.now().round('second').toZonedDateTimeISO('UTC').add({ months: end.months }).toInstant()
    : end.at;
  const successor = (isNew && end.successor) || null;
  const announced = await database.write((handle) =>
    deprecate(handle, { version: 'v1', sunsetAt, successor }, clock.now()),
  );
  // Each process reads it again after half a minute.
  clock.advance({ seconds: 31 });
  return announced;
}

async function headersAt(
  path: string,
  { key = shop.key, method = 'GET' }: { key?: string | null; method?: string } = {},
  status?: number,
): Promise<(string | null)[]> {
  const answer = await fetch(new URL(path, instance.url), {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }) },
  });
  await answer.arrayBuffer();
  if (status) assert.equal(answer.status, status, path);
  return ['deprecation', 'sunset', 'link'].map((name) => answer.headers.get(name));
}

/** Its key was last used then. */
async function use({ keyId }: Shop, at = clock.now()): Promise<void> {
  await sql('update api_keys set last_used_at = $2 where id = $1', [keyId, at.toString()]);
}

async function join(of: Shop, { personId }: Known, role: 'owner'): Promise<void> {
  await database
    .within(of.organization.id)
    .write((scope) => addMember(scope, 'operator', { personId, role }));
}

async function housekeeping(): Promise<void> {
  await runHousekeeping(instance.app.exchange);
}

async function mailsAbout({ email }: Known): Promise<string[]> {
  const mails = await mailsTo(folder, email, 0);
  return mails.filter((mail) => mail.includes('de la API se retira'));
}

/** How many mails ever left, or wait for it. */
async function mailed(): Promise<number> {
  return (await sql(`select id from queue.job where name = 'mail'`)).length;
}

function monthsLeft(sunsetAt: Temporal.Instant): string {
  const at = (instant: Temporal.Instant) => instant.toZonedDateTimeISO('America/Mexico_City');
  return String(at(clock.now()).until(at(sunsetAt), { largestUnit: 'months' }).months);
}

function sql(text: string, values: readonly unknown[] = []): Promise<object[]> {
  return database.write((handle) => handle.sql(text, values));
}
