import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import { startTiendanube } from '../simulators/tiendanube/index.ts';
import { startZipnova } from '../simulators/zipnova/index.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { MARKETPLACES } from '../src/connectors/contract.ts';
import { eventually } from './reliability/support/processes.ts';
import { lockOrders } from './spec/support/lock.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, callApi, environmentOf, openApp } from './support/app.ts';
import { untickedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { type Ran, ranOf } from './support/ran.ts';
import { atServer, emptyDatabase, freshDatabase, someoneWaits } from './support/server.ts';
import { openVisitor } from './support/visitor.ts';

// The operator's commands. Most run in this process; what a process adds (exit code, streams,
// signals, a hand-over to a running instance) is tried with processes of their own.

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** An instance on a served database, beside which most commands run. Its time is the commands' own. */
const instance = await openApp(WHOLE_FILE, { clock: untickedClock });
const folder = await mkdtemp(join(tmpdir(), 'tianguis-cli-'));
WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true }));

const market = await startMercadoLibre({ seed: 5 });
WHOLE_FILE.after(() => market.close());
market.world.place({
  id: '2000000000000042',
  lines: [{ title: 'Taza', unitPrice: '129.95', quantity: 2 }],
});
market.world.pay('2000000000000042');
const credentials = await file('credentials.json', JSON.stringify(market.credentials()));
// Here, since a test that is chosen by its name would end the file while something is waited for
// between two tests.
const NO_JSON = await file('bad.json', '{');
const SOMEBODY = await anOrganization();

test('create-organization answers {organization_id, public_id}', { tags: ['slow'] }, async () => {
  const args = ['create-organization', '--name', 'Tienda Ñandú', '--plan', 'intermedio', '--json'];
  const json = oneLine(await runProcess(args));

  assert.deepEqual(Object.keys(json), ['organization_id', 'public_id']);
  assert.match(json.organization_id, UUID);
  assert.match(json.public_id, /^org_[0-9A-Za-z]{20}$/);
  const [row] = await sql('select name, plan from organizations where id = $1', [
    json.organization_id,
  ]);
  assert.deepEqual(row, { name: 'Tienda Ñandú', plan: 'intermedio' });
});

test('without --json a command speaks in words', { tags: ['slow'] }, async () => {
  const { code, stdout, stderr } = await runProcess([
    'create-organization',
    '--name',
    'X',
    '--plan',
    'demo',
  ]);

  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Organización [0-9a-f-]{36} con el plan Demo\.\n$/);
});

test('create-user lets a person in by a link that serves once', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  const visitor = openVisitor(instance.url);
  const email = 'duena@tienda.example';
  const createUser = (role: string) =>
    cli('create-user', '--organization', shop.organization.id, '--email', email, '--role', role);

  const { json } = await createUser('owner');
  const token = new URL(json.link).searchParams.get('token') ?? '';
  const password = 'cuatro tazas azules';
  const choose = () => visitor.post('/restablecer', { token, contrasena: password });

  assert.deepEqual(Object.keys(json), ['user_id', 'email', 'role', 'created', 'link']);
  assert.ok(
    json.link.startsWith(`http://localhost:${new URL(instance.url).port}/restablecer?`),
    json.link,
  );
  assert.deepEqual([json.created, (await choose()).to], [true, '/entrar?aviso=primera']);
  assert.equal((await choose()).status, 400);
  assert.equal(
    (await visitor.post('/entrar', { correo: email, contrasena: password })).to,
    '/panel',
  );
  const again = (await createUser('owner')).json;
  assert.deepEqual([again.created, again.link], [false, null]);
  const { stdout } = await run([
    'create-user',
    '--organization',
    shop.organization.id,
    '--email',
    email,
    '--role',
    'owner',
  ]);
  assert.match(
    stdout,
    /Ya tiene cuenta: entra con su contraseña en http:\/\/localhost:\d+\/entrar\n$/,
  );
  const refused = await fails(
    'last_owner',
    ...[
      'create-user',
      '--organization',
      shop.organization.id,
      '--email',
      email,
      '--role',
      'member',
    ],
  );
  assert.match(refused.message, /al menos una persona propietaria/);
});

test('members lists the members; set-role and remove-member change it, and the last owner stays', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const at = ['--organization', shop.organization.id] as const;
  for (const [email, role] of [
    ['duena@otra.example', 'owner'],
    ['ana@otra.example', 'member'],
  ] as const)
    await cli('create-user', ...at, '--email', email, '--role', role);
  const roles = async () =>
    (await cli('members', ...at)).json.members.map(({ email, role }: Record<string, string>) => [
      email,
      role,
    ]);

  const changed = await cli(
    'set-role',
    ...at,
    '--email',
    ' ANA@otra.example',
    '--role',
    'supervisor',
  );

  assert.deepEqual(Object.keys(changed.json), ['user_id', 'email', 'role']);
  assert.deepEqual(await roles(), [
    ['duena@otra.example', 'owner'],
    ['ana@otra.example', 'supervisor'],
  ]);
  await fails('last_owner', 'set-role', ...at, '--email', 'duena@otra.example', '--role', 'admin');
  await fails('last_owner', 'remove-member', ...at, '--email', 'duena@otra.example');
  await fails('not_found', 'remove-member', ...at, '--email', 'nadie@otra.example');
  await fails(
    'invalid_request',
    'set-role',
    ...at,
    '--email',
    'ana@otra.example',
    '--role',
    'jefa',
  );
  assert.equal(
    (await cli('remove-member', ...at, '--email', 'ana@otra.example')).json.removed,
    true,
  );
  assert.deepEqual(await roles(), [['duena@otra.example', 'owner']]);
});

test('organizations lists them; suspend stops their keys within a second, and resume gives them back', async () => {
  const shop = await openShop(instance);
  const { id } = shop.organization;
  const listed = async () => {
    const { organizations } = (await cli('organizations')).json;
    return organizations.find((one: { organization_id: string }) => one.organization_id === id);
  };
  const asked = async () => (await callApi(instance.url, '/v1/me', {}, { key: shop.key })).status;
  assert.deepEqual(Object.keys(await listed()), [
    'organization_id',
    'public_id',
    'name',
    'plan',
    'suspended',
  ]);

  assert.equal(await asked(), 200, 'the service knows the key');
  const { json } = await cli('suspend', '--organization', id);
  await soon(async () =>
    assert.equal(await asked(), 403, 'a key of a suspended organisation still reads'),
  );
  assert.deepEqual(
    [json, (await listed()).suspended],
    [{ organization_id: id, suspended: true }, true],
  );
  assert.match((await run(['organizations'])).stdout, new RegExp(`^${id}  .*, suspendida$`, 'm'));

  const resumed = await cli('resume', '--organization', id);
  await soon(async () => assert.equal(await asked(), 200));
  assert.deepEqual(
    [resumed.json, (await listed()).suspended],
    [{ organization_id: id, suspended: false }, false],
  );
  await fails('not_found', 'suspend', '--organization', NOBODY);
});

test('create-key answers {id, key}, and the key works', async () => {
  const shop = await openShop(instance);
  const { json } = await cli('create-key', '--organization', shop.organization.id);

  assert.deepEqual(Object.keys(json), ['id', 'key']);
  assert.match(json.key, /^tgs_[0-9A-Za-z]{45}$/);
  const { body } = await shop.get('/v1/me', {}, { key: json.key });
  assert.deepEqual([body.data.key.id, body.data.key.scopes], [json.id, ['orders:read']]);
});

test('create-key takes a name and scopes', async () => {
  const shop = await openShop(instance);
  const given = [
    '--organization',
    shop.organization.id,
    '--name',
    'Reportes',
    '--scopes',
    'sales:read, orders:read',
  ];
  const { json } = await cli('create-key', ...given);

  const { key } = (await shop.get('/v1/me', {}, { key: json.key })).body.data;
  assert.deepEqual([key.name, key.scopes], ['Reportes', ['sales:read', 'orders:read']]);
});

test('create-key works on every plan, and shows the key once in words too', async () => {
  const shop = await openShop(instance, 'demo');
  const { code, stdout } = await run(['create-key', '--organization', shop.organization.id]);

  assert.equal(code, 0);
  const key = /\n(tgs_\w{45})\n$/.exec(stdout)?.[1] ?? '';
  assert.equal((await shop.get('/v1/me', {}, { key })).status, 403);
});

test('create-key stops at the plan’s number of keys', async () => {
  const shop = await openShop(instance);
  await sql(
    `insert into api_keys (organization_id, id, name, hash, last_four, scopes, created_at)
     select $1::uuid, gen_random_uuid(), 'x', 'hash ' || $1 || n, 'xxxx', '{orders:read}', now() from generate_series(1, 9) n`,
    [shop.organization.id],
  );

  await fails('api_key_limit_reached', 'create-key', '--organization', shop.organization.id);
});

test('revoke-key: the running instance refuses the key within a second', async () => {
  const shop = await openShop(instance);
  assert.equal((await shop.get('/v1/me')).status, 200);

  const { json } = await cli('revoke-key', '--key-id', shop.keyId);

  assert.deepEqual(json, { id: shop.keyId, revoked: true });
  await soon(async () =>
    assert.equal((await shop.get('/v1/me')).body.error?.code, 'api_key_revoked'),
  );
});

test('set-plan: the running instance knows within a second', async () => {
  const shop = await openShop(instance);
  const setPlan = (...more: string[]) =>
    cli('set-plan', '--organization', shop.organization.id, ...more);
  const limit = async () => (await shop.get('/v1/none')).headers.get('x-ratelimit-limit');

  assert.deepEqual((await setPlan('--plan', 'basico')).json, {
    organization_id: shop.organization.id,
    plan: 'basico',
    requests_per_minute: 500,
  });
  await soon(async () => assert.equal((await shop.get('/v1/me')).status, 403));
  assert.equal((await setPlan('--plan', 'experto')).json.requests_per_minute, 2000);
  await soon(async () => assert.equal(await limit(), '2000'));
  assert.equal(
    (await setPlan('--plan', 'experto', '--quota', '999999999')).json.requests_per_minute,
    999_999_999,
  );
  await soon(async () => assert.equal(await limit(), '999999999'));
  const custom = ['--plan', 'avanzado', '--quota', '1000'];
  const { code, json } = await cliAsIs(
    'set-plan',
    '--organization',
    shop.organization.id,
    ...custom,
  );
  assert.deepEqual([code, json.error.param], [1, 'quota']);
  assert.match(json.error.message, /^Solo el plan Experto admite una cuota propia\./);
  assert.equal((await setPlan('--plan', 'avanzado')).json.requests_per_minute, 500);
  await soon(async () =>
    assert.equal(await limit(), '500', 'what was agreed for Experto is over with it'),
  );
});

test('--help lists every command with what it does; of one command, only that', async () => {
  const all = await run(['--help']);
  const one = await run(['sync', '--help']);
  const { code, stdout } = await run(['help', '--json']);
  assert.equal((await run(['help', 'sync'])).stdout, one.stdout);
  const slip = await run(['help', 'conect']);
  assert.match(
    slip.stderr,
    /^No existe el comando «conect»\. ¿Quisiste decir «connect»\? Con help se muestran todos\.\n$/,
  );
  assert.equal(slip.code, 1);

  assert.deepEqual([all.code, all.stderr], [0, '']);
  for (const [name, load] of Object.entries(COMMANDS)) {
    const { usage, about } = await load();
    assert.ok(usage.startsWith(name));
    assert.ok(all.stdout.includes(`  ${usage}\n      ${about}\n`), name);
    assert.match(about, /^[A-Z].*\.$/);
  }
  assert.deepEqual([one.code, one.stdout.split('\n', 1)], [0, [(await COMMANDS.sync?.())?.usage]]);
  assert.equal(one.stdout.includes('create-key'), false);
  assert.deepEqual([code, JSON.parse(stdout)], [0, { help: all.stdout.trimEnd() }]);
});

for (const [what, code, message, args] of [
  ['no command', 'invalid_request', /create-organization.*import-orders.*rotate-secrets/s, []],
  ['an unknown command', 'invalid_request', /^No existe el comando «dance».*Comandos:/s, ['dance']],
  [
    'a command named as a part of every object',
    'invalid_request',
    /«constructor»/,
    ['constructor'],
  ],
  [
    'an unknown option',
    'invalid_request',
    /create-organization --name NOMBRE/,
    ['create-organization', '--nombre', 'x'],
  ],
  [
    'an option without value',
    'invalid_request',
    /create-organization --name NOMBRE/,
    ['create-organization', '--plan', 'demo', '--name'],
  ],
  ['a missing option', 'invalid_request', /Falta --plan/, ['create-organization', '--name', 'x']],
  [
    'an unexpected argument',
    'invalid_request',
    /create-organization/,
    ['create-organization', 'x', '--name', 'x', '--plan', 'demo'],
  ],
  [
    'an unknown plan',
    'invalid_request',
    /demo, basico, intermedio, avanzado, experto/,
    ['create-organization', '--name', 'x', '--plan', 'premium'],
  ],
  [
    'a plan named as a part of every object',
    'invalid_request',
    /demo, basico/,
    ['create-organization', '--name', 'x', '--plan', 'toString'],
  ],
  [
    'an empty name',
    'invalid_request',
    /de 1 a 120 caracteres/,
    ['create-organization', '--name', ' ', '--plan', 'demo'],
  ],
  [
    'an id that is none',
    'invalid_request',
    /identificador de la organización/,
    ['create-key', '--organization', 'x'],
  ],
  [
    'an unknown organisation',
    'not_found',
    /No existe una organización/,
    ['create-key', '--organization', NOBODY],
  ],
  [
    'unknown scopes',
    'invalid_request',
    /orders:read, sales:read/,
    ['create-key', '--organization', instance.organization.id, '--scopes', 'orders:write'],
  ],
  [
    'empty scopes',
    'invalid_request',
    /orders:read, sales:read/,
    ['create-key', '--organization', instance.organization.id, '--scopes', ''],
  ],
  [
    'a key id that is none',
    'invalid_request',
    /identificador de la clave/,
    ['revoke-key', '--key-id', "' or 1=1"],
  ],
  [
    'a connection id that is none',
    'invalid_request',
    /identificador de la conexión/,
    ['disconnect', '--connection', 'x'],
  ],
  [
    'an unknown connection',
    'not_found',
    /No existe una conexión/,
    ['disconnect', '--connection', NOBODY],
  ],
  [
    'a connection that is named in two ways',
    'invalid_request',
    /Indica --connection, o/,
    ['disconnect', '--connection', NOBODY, '--organization', NOBODY],
  ],
  ['a connection that is not named', 'invalid_request', /Indica --connection, o/, ['disconnect']],
  ['an unknown key', 'not_found', /No existe una clave/, ['revoke-key', '--key-id', NOBODY]],
  [
    'a quota of zero',
    'invalid_request',
    /1 o más/,
    ['set-plan', '--organization', NOBODY, '--plan', 'experto', '--quota', '0'],
  ],
  [
    'a quota with a fraction',
    'invalid_request',
    /1 o más/,
    ['set-plan', '--organization', NOBODY, '--plan', 'experto', '--quota', '1.5'],
  ],
  [
    'an unknown marketplace',
    'invalid_request',
    /mercado_libre, amazon/,
    ['connect', '--organization', NOBODY, '--marketplace', 'ebay', '--credentials', 'x'],
  ],
  [
    'a credential file that is not there',
    'invalid_request',
    /no se puede leer/,
    [
      'connect',
      '--organization',
      NOBODY,
      '--marketplace',
      'mercado_libre',
      '--credentials',
      join(folder, 'none'),
    ],
  ],
  [
    'a credential file that is no JSON',
    'invalid_request',
    /no es JSON/,
    [
      'connect',
      '--organization',
      NOBODY,
      '--marketplace',
      'mercado_libre',
      '--credentials',
      NO_JSON,
    ],
  ],
  [
    'a base address that is none',
    'invalid_request',
    /http o https/,
    [
      'connect',
      '--organization',
      NOBODY,
      '--marketplace',
      'mercado_libre',
      '--credentials',
      credentials,
      '--base-url',
      'ftp://x',
    ],
  ],
  [
    'an unknown stream',
    'invalid_request',
    /orders, inventory/,
    ['sync', '--organization', NOBODY, '--stream', 'dreams'],
  ],
  [
    'import-orders without a file',
    'invalid_request',
    /Indica un archivo/,
    ['import-orders', '--organization', NOBODY],
  ],
  [
    'an unknown role',
    'invalid_request',
    /owner, admin, member, supervisor, warehouse/,
    ['create-user', '--organization', NOBODY, '--email', 'x@y.example', '--role', 'boss'],
  ],
  [
    'an address that is none',
    'invalid_request',
    /El correo no es válido/,
    ['create-user', '--organization', SOMEBODY, '--email', 'x', '--role', 'owner'],
  ],
  [
    'rotate-secrets without the former key',
    'invalid_request',
    /MASTER_KEY_PREVIOUS/,
    ['rotate-secrets'],
  ],
] as const) {
  test(`a failure is one line {error: {code, message}} and exit 1: ${what}`, async () => {
    const error = await fails(code, ...args);
    assert.match(error.message, message);
  });
}

test('a failure without --json is its sentence on standard error', { tags: ['slow'] }, async () => {
  const { code, stdout, stderr } = await runProcess(['revoke-key', '--key-id', NOBODY]);

  assert.deepEqual([code, stdout, stderr], [1, '', 'No existe una clave con ese identificador.\n']);
});

test('a wrong configuration reports all its faults at once', { tags: ['slow'] }, async () => {
  const env = { DATABASE_URL: 'mysql://x', PORT: 'many', MASTER_KEY: 'short' };
  const { code, json } = await runProcess(['migrate', '--json'], { env });

  assert.deepEqual([code, json.error.code], [1, 'invalid_configuration']);
  for (const name of Object.keys(env)) assert.match(json.error.message, new RegExp(name));
});

test('a database that does not answer is reported as such', { tags: ['slow'] }, async () => {
  const env = { ...instance.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
  const args = ['create-organization', '--name', 'x', '--plan', 'demo', '--json'];
  const { code, json } = await runProcess(args, { env });

  assert.deepEqual([code, json.error.code], [1, 'not_started']);
  assert.match(json.error.message, /base de datos.*ECONNREFUSED/);
});

test('connect and sync hand over to the running instance', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  const connected = await connectTo(shop);
  assert.deepEqual(Object.keys(connected.json), ['connection_id']);
  assert.match(connected.json.connection_id, UUID);
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 1);

  const { id } = shop.organization;
  const json = oneLine(
    await runProcess(['sync', '--organization', id, '--stream', 'orders', '--json']),
  );

  assert.deepEqual(Object.keys(json), ['streams']);
  const [stream] = json.streams;
  assert.deepEqual(Object.keys(stream).toSorted(), [
    'changed',
    'items',
    'marketplace',
    'pages',
    'stream',
    'unreadable',
  ]);
  assert.deepEqual(
    [stream.marketplace, stream.stream, stream.unreadable],
    ['mercado_libre', 'orders', 0],
  );
  const { body } = await shop.get('/v1/orders/2000000000000042');
  assert.deepEqual(
    [body.data.total, body.data.connection_id],
    [259.9, connected.json.connection_id],
  );
});

test('probe makes each read of an account once, prints its findings, and writes the documents without names', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(instance);
  const store = await startTiendanube({ now: Date.now, seed: 'cli probe' });
  t.after(store.close);
  const order = store.world.place({ at: Date.now() - 3_600_000 });
  store.world.pay(order.id);
  const typed = await file('tiendanube.json', JSON.stringify(store.credentials()));
  const connected = await cli(
    ...['connect', '--organization', shop.organization.id, '--marketplace', 'tiendanube'],
    ...['--credentials', typed, '--base-url', store.url],
  );
  const connectionId: string = connected.json.connection_id;
  const kept = join(folder, 'probe');

  const { json } = await cli('probe', '--connection', connectionId, '--keep', kept);

  assert.deepEqual(
    json.reads.map(({ outcome }: { outcome: string }) => outcome),
    json.reads.map(() => 'answered'),
  );
  assert.ok(json.kept.includes(join(kept, 'tiendanube', 'orders-1.json')));
  const document = await readFile(join(kept, 'tiendanube', 'orders-1.json'), 'utf8');
  assert.ok(JSON.parse(document).length > 0 && !document.includes(order.buyer.lastName));
  assert.match(
    (await run(['probe', '--connection', connectionId])).stdout,
    /^check: contestó; 0 elementos\n/,
  );
  await fails('not_found', 'probe', '--connection', shop.organization.id);
});

test('order-documents prints the marketplace’s documents, and asks which of several is meant', async () => {
  const shop = await openShop(instance);
  const said = (raw: string) => ({ id: 'A-1', raw });
  await shop.record(anOrder({ ...said('{"total":1.00}'), status: 'pending' }));
  await shop.record(anOrder(said('{"total":1.50}')), anOrder({ id: 'A-2', raw: null }));
  const ask = ['order-documents', '--organization', shop.organization.id, '--order'];

  const { json } = await cli(
    ...ask,
    'A-1',
    '--marketplace',
    'mercado_libre',
    '--account',
    '468424240',
  );
  assert.deepEqual(
    json.documents.map(({ document }: { document: string }) => document),
    ['{"total":1.00}', '{"total":1.50}'],
  );
  const [order] = await shop.orders();
  assert.equal(json.documents[1].recorded_at, order.last_updated);
  assert.match(
    (await run([...ask, 'A-1'])).stdout,
    /Z\n\{"total":1\.00\}\n\n.*Z\n\{"total":1\.50\}\n$/,
  );
  assert.match(
    (await run([...ask, 'A-2'])).stdout,
    /^De esta orden no se guarda ningún documento\.\n$/,
  );
  assert.match((await fails('not_found', ...ask, 'A-3')).message, /No hay ninguna orden A-3/);
  assert.match(
    (await fails('not_found', ...ask, 'A-1', '--marketplace', 'amazon')).message,
    /No hay ninguna orden A-1/,
  );

  await shop.record(anOrder({ ...said('{}'), accountId: 'otra' }));
  const several = await fails('invalid_request', ...ask, 'A-1');
  assert.match(
    several.message,
    /Hay varias órdenes con el identificador A-1.*mercado_libre 468424240, mercado_libre otra/,
  );
});

test('what was handed to an instance that fell is done here, and no later instance does it again', {
  tags: ['slow'],
}, async (t) => {
  const env = { ...instance.env, ...environmentOf(await freshDatabase()) };
  const here = async (...args: string[]) => oneLine(await runHere([...args, '--json'], env));
  const { organization_id: id } = await here(
    'create-organization',
    '--name',
    'x',
    '--plan',
    'demo',
  );
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  t.after(() => client.end());
  // An instance that works on jobs, as others see it; this one works on none.
  await client.query('select pg_advisory_lock_shared(7406011, 0)');
  const jobs = async () =>
    (await client.query<{ state: string }>("select state from queue.job where name = 'sync-now'"))
      .rows;

  const handed = here('sync', '--organization', id);
  await soon(async () => assert.deepEqual(await jobs(), [{ state: 'created' }]), 20_000);
  await client.query('select pg_advisory_unlock_all()');

  assert.deepEqual(await handed, { streams: [] });
  assert.deepEqual(await jobs(), [{ state: 'cancelled' }]);
});

test('connections lists the accounts, their states and what a marketplace does not give', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const list = () => cli('connections', '--organization', shop.organization.id);
  assert.deepEqual((await list()).json, { connections: [] });
  const { connection_id } = (await connectTo(shop)).json;
  await cli('sync', '--organization', shop.organization.id, '--stream', 'orders');
  // Of a marketplace that offers less.
  await sql(
    `insert into connections (organization_id, id, service, account_id, name, state, state_message, created_at, updated_at)
     values ($1, gen_random_uuid(), 'tiendanube', '777', 'Nube', 'reauth_required', 'Reconéctala.', now(), now())`,
    [shop.organization.id],
  );

  const [own, other] = (await list()).json.connections;
  const words = await run(['connections', '--organization', shop.organization.id]);

  const { last_sync_at, behind, under_way, ...rest } = own;
  const [row] = await sql('select name from connections where id = $1', [connection_id]);
  assert.deepEqual(rest, {
    connection_id,
    marketplace: 'mercado_libre',
    account_id: String(market.credentials().user_id),
    ...row,
    state: 'ok',
    state_message: null,
    unavailable: [],
  });
  const { orders, ...others } = last_sync_at;
  assert.match(orders, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  assert.deepEqual(Object.keys(others), ['inventory', 'balances', 'settlements', 'invoices']);
  const never = Object.keys(others).filter((stream) => others[stream] === null);
  assert.deepEqual(behind, never, 'what was never read to its end is not up to date');
  assert.deepEqual(
    [other.state, other.state_message, other.last_sync_at, other.unavailable],
    [
      'reauth_required',
      'Reconéctala.',
      { orders: null, inventory: null },
      ['balances', 'settlements', 'invoices'],
    ],
  );
  const state = /\) *\n {2}(.+)\n {2}Órdenes:/.exec(words.stdout)?.[1];
  assert.match(state ?? '', never.length > 0 ? /^poniéndose al día \(.*saldos/ : /^al día$/);
  assert.match(words.stdout, /\n {2}hay que reconectarla: Reconéctala\.\n/);
  assert.match(words.stdout, /\n {2}Órdenes: sin sincronizar\n.*\n {2}Saldos: no disponible\n/s);
  assert.match(
    words.stdout,
    /\n {2}Órdenes: \d{1,2} \S+ 20\d\d, \d{1,2}:\d\d\s[ap]\.m\.\n/,
    'no time of Mexico',
  );
  assert.ok(Array.isArray(under_way));

  // A first run that is at one of its pages, of an account whose name is its id.
  await sql(
    "update connections set name = '777' where organization_id = $1 and account_id = '777'",
    [shop.organization.id],
  );
  await sql(
    `insert into streams (organization_id, connection_id, stream, window_to)
     select organization_id, id, 'orders', now() from connections where organization_id = $1 and account_id = '777'`,
    [shop.organization.id],
  );
  const later = await run(['connections', '--organization', shop.organization.id]);
  assert.match(later.stdout, / tiendanube 777\n/);
  assert.match(
    later.stdout,
    /\n {2}Órdenes: primera sincronización en curso; lo leído ya está guardado\n/,
  );
});

test('disconnect forgets the credentials and stops the walks; what was synchronised stays', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const { connection_id } = (await connectTo(shop)).json;
  const sync = () => cli('sync', '--organization', shop.organization.id, '--stream', 'orders');
  await sync();

  const { json } = await cli('disconnect', '--connection', connection_id);

  assert.deepEqual(json, { connection_id, disconnected: true });
  const [row] = await sql('select credentials, state from connections where id = $1', [
    connection_id,
  ]);
  assert.deepEqual(row, { credentials: null, state: 'disconnected' });
  const planned = await sql('select task from schedules where organization_id = $1', [
    shop.organization.id,
  ]);
  assert.deepEqual([planned, (await sync()).json.streams], [[], []]);
  assert.equal((await shop.get('/v1/orders/2000000000000042')).status, 200);
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 0);
  assert.deepEqual(
    (await cli('disconnect', '--connection', connection_id)).json,
    json,
    'again is no failure',
  );
  const [known] = (await cli('connections', '--organization', shop.organization.id)).json
    .connections;
  assert.deepEqual([known.connection_id, known.state], [connection_id, 'disconnected']);
});

test('an account is paused and resumed, and nothing of it is synchronised meanwhile', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const { connection_id } = (await connectTo(shop)).json;
  const sync = () => cli('sync', '--organization', shop.organization.id, '--stream', 'orders');
  const stateOf = async () =>
    (await cli('connections', '--organization', shop.organization.id)).json.connections[0].state;

  const { json } = await cli('pause-connection', '--connection', connection_id);

  assert.deepEqual(json, { connection_id, paused: true });
  assert.deepEqual([await stateOf(), (await sync()).json.streams], ['paused', []]);
  const where = ['--organization', shop.organization.id, '--marketplace', 'mercado_libre'];
  assert.deepEqual((await cli('resume-connection', ...where)).json, {
    connection_id,
    paused: false,
  });
  assert.deepEqual([await stateOf(), (await sync()).json.streams.length], ['ok', 1]);
});

test('disconnect says so where the webhooks that were registered there could not be removed', async (t) => {
  const zipnova = await startZipnova({ seed: 4 });
  t.after(zipnova.close);
  const shop = await openShop(instance);
  const typed = await file('zipnova.json', JSON.stringify(zipnova.credentials()));
  const where = ['--organization', shop.organization.id, '--marketplace', 'zipnova'];
  await cli('connect', ...where, '--credentials', typed, '--base-url', zipnova.url);
  zipnova.revoke();

  const { code, stdout } = await run(['disconnect', ...where]);

  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Cuenta desconectada: .*\nNo pudimos quitar los webhooks que registramos en Zipnova; puedes/,
  );
});

test('disconnect by marketplace guesses at none of several accounts', async () => {
  const shop = await openShop(instance);
  const { connection_id } = (await connectTo(shop)).json;
  const account = String(market.credentials().user_id);
  await sql(
    `insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
     values ($1, gen_random_uuid(), 'mercado_libre', '777', 'Otra', 'ok', now(), now())`,
    [shop.organization.id],
  );
  const which = [
    'disconnect',
    '--organization',
    shop.organization.id,
    '--marketplace',
    'mercado_libre',
  ];

  const several = await fails('invalid_request', ...which);
  const one = await run([...which, '--account', account]);
  const none = await fails('not_found', ...which, '--account', account);

  assert.match(several.message, new RegExp(`--account, una de: .*${account}`));
  assert.match(one.stdout, new RegExp(`^Cuenta desconectada: ${connection_id} \\(.+\\)\\.\n$`));
  assert.match(none.message, /No hay ninguna cuenta conectada de mercado_libre/);
  const connected =
    "select account_id from connections where organization_id = $1 and state = 'ok'";
  assert.deepEqual(await sql(connected, [shop.organization.id]), [{ account_id: '777' }]);
});

test('connecting the same account again keeps its id', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  const first = await connectTo(shop);

  assert.deepEqual((await connectTo(shop)).json, first.json);
});

test('sync says in words what it did, and that there is nothing to do', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const sync = () =>
    run(['sync', '--organization', shop.organization.id, '--marketplace', 'mercado_libre']);
  assert.equal((await sync()).stdout, 'No hay cuentas activas que sincronizar.\n');

  await connectTo(shop);
  const { code, stdout } = await sync();
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^mercado_libre orders: \d+ páginas?, \d+ leídos?, \d+ con cambios, 0 ilegibles\n/,
  );
  assert.doesNotMatch(stdout, /\b1 (páginas|leídos)/);
  assert.match(stdout, /\nmercado_libre inventory: /);
});

test('credentials that the marketplace refuses connect nothing', async () => {
  const shop = await openShop(instance);
  const wrong = await file(
    'wrong.json',
    JSON.stringify({ user_id: 1, access_token: 'APP_USR-wrong' }),
  );
  const error = await failsOf(connectTo(shop, wrong), 'upstream_error');

  assert.match(error.message, /no aceptó las credenciales/);
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 0);
});

test('credentials of several carrier accounts are refused with the accounts to choose from', async (t) => {
  const zipnova = await startZipnova({ seed: 3, accounts: [11, 22] });
  t.after(zipnova.close);
  const shop = await openShop(instance);
  const typed = await file('several.json', JSON.stringify(zipnova.credentials()));
  const where = ['--organization', shop.organization.id, '--marketplace', 'zipnova'];
  const { code, json } = await cliAsIs(
    'connect',
    ...where,
    '--credentials',
    typed,
    '--base-url',
    zipnova.url,
  );

  assert.deepEqual([code, json.error.code, json.error.param], [1, 'invalid_request', 'account_id']);
  assert.match(json.error.message, /11 \(Cuenta 11\), 22 \(Cuenta 22\)/);
  assert.deepEqual(json.error.details.accounts, [
    { id: '11', name: 'Cuenta 11' },
    { id: '22', name: 'Cuenta 22' },
  ]);
});

test('credentials of another shape name the field', async () => {
  const shop = await openShop(instance);
  const other = await file('other.json', JSON.stringify({ user_id: 1, token: 'x' }));
  const error = await failsOf(connectTo(shop, other), 'invalid_request');

  assert.match(error.message, /access_token/);
});

test('a marketplace that is away: sync fails with its reason', { tags: ['slow'] }, async () => {
  const gone = await startMercadoLibre({ seed: 6 });
  const shop = await openShop(instance);
  const typed = await file('gone.json', JSON.stringify(gone.credentials()));
  await connectTo(shop, typed, gone.url);
  gone.revoke();

  const { code, json } = await cliAsIs('sync', '--organization', shop.organization.id);
  await gone.close();
  assert.deepEqual([code, json.error.code], [1, 'upstream_error']);
  assert.equal(json.error.details.streams[0].marketplace, 'mercado_libre');
});

test('import-orders stores the API’s own fields', async () => {
  const shop = await openShop(instance);
  const report = await importLines(shop, [
    aLine({ id: 'W-1', account_id: 'tienda', buyer_name: 'Ana Ruiz Paz' }),
  ]);

  assert.deepEqual(report, { read: 1, changed: 1, unchanged: 0, refused: 0, errors: [] });
  const planned = await instance.app.database
    .within(shop.organization.id)
    .read((scope) => scope.rows(scope.select('schedules').select(['task', 'subject'])));
  assert.deepEqual(planned, [{ task: 'findings', subject: shop.organization.id }]);
  const [{ last_updated: _, ...order }] = await shop.orders();
  assert.deepEqual(order, {
    id: 'W-1',
    marketplace: 'walmart',
    account_id: 'tienda',
    status: 'paid',
    total: 100.5,
    currency: 'MXN',
    buyer_name: 'Ana R.',
    date_created: '2026-11-01T12:00:00.000Z',
    date_closed: null,
    items: [{ title: 'Taza', quantity: 1, unit_price: 100.5, sku: null }],
  });
});

test('import-orders: what the API gave comes back the same, list or detail; the abbreviation is idempotent', async () => {
  const [from, fromList, fromDetail] = [
    await openShop(instance),
    await openShop(instance),
    await openShop(instance),
  ];
  const buyers = ['María Fernanda López Ruiz', 'Ana de la Cruz', 'Cher', 'Juan P.', null];
  const more = { refunds: [{ amount: 1.5, at: null }], shipping: { carrier: 'DHL' } };
  await importLines(
    from,
    buyers.map((buyer_name, index) => aLine({ id: `${index}`, buyer_name, ...more })),
  );
  const detailsOf = async (shop: Shop) =>
    Promise.all(buyers.map(async (_, index) => (await shop.get(`/v1/orders/${index}`)).body.data));
  const [list, details] = [await from.orders(), await detailsOf(from)];

  assert.equal((await importLines(from, details)).unchanged, 5);
  await importLines(fromDetail, details);
  await importLines(fromList, list);

  const content = ({ last_updated: _, status_history: __, ...order }: Record<string, unknown>) =>
    order;
  assert.deepEqual((await detailsOf(fromDetail)).map(content), details.map(content));
  assert.deepEqual((await fromList.orders()).map(content), list.map(content));
});

test('import-orders again changes nothing, and last_updated stays', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const lines = Array.from({ length: 450 }, (_, index) => aLine({ id: `${index}` }));
  assert.deepEqual(await importLines(shop, lines), {
    read: 450,
    changed: 450,
    unchanged: 0,
    refused: 0,
    errors: [],
  });
  // The import is another process: this one may answer for a moment from the clock that it knows.
  let asOf = '';
  const isKnown = async () => {
    asOf = (await shop.get('/v1/orders', { limit: 1 })).body.meta.as_of;
    return (await shop.ids({ updated_since: asOf })).length === 0;
  };
  assert.ok(await eventually(isKnown, 5_000));

  assert.deepEqual(await importLines(shop, lines), {
    read: 450,
    changed: 0,
    unchanged: 450,
    refused: 0,
    errors: [],
  });
  assert.deepEqual(await shop.ids({ updated_since: asOf }), []);
  lines[7] = aLine({ id: '7', status: 'shipped' });
  assert.deepEqual(await importLines(shop, lines), {
    read: 450,
    changed: 1,
    unchanged: 449,
    refused: 0,
    errors: [],
  });
  await soon(async () => assert.deepEqual(await shop.ids({ updated_since: asOf }), ['7']));
});

/** Lines of a file, and what is said of those that are refused. */
function mixedLines(): [line: string | Buffer, complaint: string | null][] {
  const text = (line: object) => JSON.stringify(line);
  const title = (raw: string) => text(aLine({ id: 'strange' })).replace('Taza', raw);
  return [
    [`\uFEFF${text(aLine({ id: 'with a byte order mark' }))}`, null],
    ['{oops', 'La línea no es JSON válido.'],
    [`${text(aLine({ id: 'with CRLF' }))}\r`, null],
    ['[]', 'La línea debe ser un objeto JSON.'],
    ['null', 'La línea debe ser un objeto JSON.'],
    ['"text"', 'La línea debe ser un objeto JSON.'],
    [`${text(aLine({}))}${text(aLine({}))}`, 'La línea no es JSON válido.'],
    ...wrongFields().map(([change, complaint]): [string, string] => [
      text(aLine(change)),
      complaint,
    ]),
    [text(aLine({ id: 'x' })).replace('100.5', '1e99'), 'El campo total debe ser un número.'],
    [
      text(aLine({ id: 'x' })).replace('100.5', '12345678901234567'),
      'El campo total debe ser un número.',
    ],
    [title('\\u0000'), 'La línea tiene caracteres que no son texto.'],
    [title('\0'), 'La línea no es JSON válido.'],
    [Buffer.from(title('ñ'), 'latin1'), 'La línea no es texto en UTF-8.'],
    [title('x'.repeat(6_000_000)), 'La línea pasa de 5 MB.'],
    [text(aLine({ id: 'from the future', date_created: '2100-01-01T00:00:00-06:00' })), null],
    [
      text(
        aLine({
          id: 'with more fields',
          last_updated: 'never',
          nested: { a: [1] },
          __proto__: null,
        }),
      ),
      null,
    ],
    [text(aLine({ id: 'with a line separator' })).replace('Taza', 'Ta\u2028za'), null],
    [text(aLine({ id: 'huge', note: `${'x'.repeat(900_000)}` })), null],
    [
      text(aLine({ id: 'by weight', items: [{ title: 'Queso', quantity: 0.35, unit_price: 89 }] })),
      null,
    ],
    [text(aLine({ id: 'without an end' })), null],
  ];
}

/** What one field of an order may not be, and what is said of it. */
function wrongFields(): [change: Record<string, unknown>, complaint: string][] {
  return [
    [{ id: undefined }, 'El campo id debe ser un texto.'],
    [{ id: 7 }, 'El campo id debe ser un texto.'],
    [{ id: '' }, 'El campo id no puede estar vacío.'],
    [{ id: 'x'.repeat(501) }, 'El campo id es demasiado largo.'],
    [{ id: 'a\nb' }, 'El campo id no puede llevar caracteres de control.'],
    [{ account_id: 'x'.repeat(201) }, 'El campo account_id es demasiado largo.'],
    [{ account_id: 'a\tb' }, 'El campo account_id no puede llevar caracteres de control.'],
    [
      { account_id: 'a ' },
      'El campo account_id no puede llevar espacios al principio ni al final.',
    ],
    [{ marketplace: 'ebay' }, `El campo marketplace debe ser uno de: ${SLUGS}.`],
    [{ marketplace: undefined }, `El campo marketplace debe ser uno de: ${SLUGS}.`],
    [{ status: 'PAID' }, `El campo status debe ser uno de: ${STATUSES}.`],
    [{ total: '100' }, 'El campo total debe ser un número.'],
    [{ date_created: '2026-11-01' }, `El campo date_created ${A_TIME}`],
    [{ date_created: '2026-02-30T00:00:00Z' }, `El campo date_created ${A_TIME}`],
    [{ date_created: null }, `El campo date_created ${A_TIME}`],
    [
      { date_created: '0001-01-01T00:00:00Z' },
      'El campo date_created debe ser del año 1970 en adelante.',
    ],
    [{ date_closed: 'soon' }, `El campo date_closed ${A_TIME}`],
    [{ items: undefined }, 'El campo items debe ser una lista.'],
    [{ items: [{}] }, 'El campo items.0.title debe ser un texto.'],
    [
      { items: [{ title: 'x', quantity: -1, unit_price: 1 }] },
      `El campo items.0.quantity ${A_COUNT}`,
    ],
    [
      { items: [{ title: 'x', quantity: '1', unit_price: 1 }] },
      `El campo items.0.quantity ${A_COUNT}`,
    ],
    [{ items: Array(1_001).fill(AN_ITEM) }, 'El campo items admite hasta 1000 elementos.'],
  ];
}

test('import-orders emits events as any change does, and none where nothing changed', async () => {
  const shop = await openShop(instance, 'avanzado');
  const { json } = await cli(
    ...['create-key', '--organization', shop.organization.id, '--scopes', 'events:read'],
  );
  const eventsOf = async () =>
    (await instance.api('/manage/v1/events', {}, { key: json.key })).body.data;

  await importLines(shop, [aLine({ id: 'W-1' }), aLine({ id: 'W-2' })]);
  await importLines(shop, [aLine({ id: 'W-1', status: 'shipped' }), aLine({ id: 'W-2' })]);

  assert.ok(await eventually(async () => (await eventsOf()).length >= 3, 5_000));
  const events = (await eventsOf()) as { type: string; data: { id: string } }[];
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.id]),
    [
      ['order.created', 'W-1'],
      ['order.created', 'W-2'],
      ['order.status_changed', 'W-1'],
    ],
  );
});

test('import-orders refuses a bad line with its number and reason, and stores every good one', async () => {
  const shop = await openShop(instance);
  const lines = mixedLines();
  const separator = Buffer.from('\n \n\r\n\n');
  const parts = lines.flatMap(([line]) => [Buffer.from(line as string), separator]).slice(0, -1);
  const path = await file('mixed.ndjson', Buffer.concat(parts));

  const { code, json, stderr } = await cliAsIs(
    'import-orders',
    '--organization',
    shop.organization.id,
    path,
  );

  assert.deepEqual([code, stderr], [0, '']);
  const refused = lines.flatMap(([, message], index) =>
    message ? [{ line: index * 4 + 1, message }] : [],
  );
  assert.deepEqual(json.errors, refused);
  const good = lines.length - refused.length;
  assert.deepEqual(
    [json.read, json.changed, json.unchanged, json.refused],
    [lines.length, good, 0, refused.length],
  );
  assert.deepEqual(
    new Set(await shop.ids({ limit: 100 })),
    new Set([
      'with a byte order mark',
      'with CRLF',
      'from the future',
      'with more fields',
      'with a line separator',
      'huge',
      'by weight',
      'without an end',
    ]),
  );
  const { body } = await shop.get('/v1/orders/by%20weight');
  assert.equal(body.data.items[0].quantity, 1, 'fractions are rounded up');
  const separated = await shop.get('/v1/orders/with%20a%20line%20separator');
  assert.equal(separated.body.data.items[0].title, 'Ta\u2028za');
});

test('import-orders: of an order that comes twice the later line counts', async () => {
  const shop = await openShop(instance);
  const report = await importLines(shop, [
    aLine({ id: '1' }),
    aLine({ id: '1', status: 'shipped' }),
    aLine({ id: '1', account_id: 'other' }),
    aLine({ id: '1', status: 'shipped' }),
  ]);

  assert.deepEqual(report, { read: 4, changed: 2, unchanged: 2, refused: 0, errors: [] });
  assert.equal(
    (await shop.get('/v1/orders/1', { account_id: 'import' })).body.data.status,
    'shipped',
  );
});

test('import-orders: a line that the database cannot keep costs no other', async (t) => {
  const shop = await openShop(instance);
  const { database } = instance.app;
  const alter = (words: string) =>
    database.write((handle) => handle.sql(`alter table orders ${words}`, []));
  await alter(`add constraint refused check (id <> 'refused')`);
  t.after(() => alter('drop constraint refused'));
  const lines = [aLine({ id: '1' }), aLine({ id: 'refused' }), aLine({ id: '2' })];

  assert.deepEqual(await importLines(shop, lines), {
    read: 3,
    changed: 2,
    unchanged: 0,
    refused: 1,
    errors: [{ line: 2, message: 'La base de datos no pudo guardar esta orden.' }],
  });
  assert.deepEqual(await shop.ids(), ['1', '2']);
});

test('import-orders refuses half a character, which no two systems keep alike', async () => {
  const shop = await openShop(instance);
  const line = (id: string) => JSON.stringify(aLine({ id: 'X' })).replace('"X"', `"${id}"`);
  const path = await file(
    'halves.ndjson',
    `${line('\\ud800')}\n${line('\\udfff')}\n${line('\\ud83c\\udf3a')}\n`,
  );
  const { json } = await cli('import-orders', '--organization', shop.organization.id, path);

  assert.deepEqual([json.changed, json.refused], [1, 2]);
  assert.deepEqual(await shop.ids(), ['🌺']);
});

test('import-orders takes a backslash before u0000 for what it is', async () => {
  const shop = await openShop(instance);
  assert.equal((await importLines(shop, [aLine({ id: 'C:\\u0000' })])).changed, 1);
  assert.deepEqual(await shop.ids(), ['C:\\u0000']);
});

test('import-orders reads standard input with -', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  const { code, json } = await runProcess(
    ['import-orders', '--organization', shop.organization.id, '-', '--json'],
    {
      input: `${JSON.stringify(aLine({ id: '1' }))}\n${JSON.stringify(aLine({ id: '2' }))}`,
    },
  );

  assert.deepEqual([code, json.read, json.changed], [0, 2, 2]);
});

test('import-orders in words prints the counts and the bad lines', async () => {
  const shop = await openShop(instance);
  const path = await file('words.ndjson', `${JSON.stringify(aLine({ id: '1' }))}\nx\n`);
  const { code, stdout } = await run([
    'import-orders',
    '--organization',
    shop.organization.id,
    path,
  ]);

  assert.equal(code, 0);
  assert.equal(
    stdout,
    '2 leídas: 1 con cambios, 0 sin cambios, 1 rechazadas.\n  línea 2: La línea no es JSON válido.\n',
  );
});

test('import-orders prints twenty bad lines and how many more there are', async () => {
  const shop = await openShop(instance);
  const path = await file(
    'bad.ndjson',
    `${JSON.stringify(aLine({ id: '1' }))}\n${'x\n'.repeat(37)}`,
  );

  const { stdout } = await run(['import-orders', '--organization', shop.organization.id, path]);

  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    [lines.length, lines[20], lines.at(-1)],
    [22, '  línea 21: La línea no es JSON válido.', '  y 17 más'],
  );
});

test('Ctrl+C ends an import with what is stored, and the same command goes on', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(instance);
  const orders = Array.from({ length: 20_000 }, (_, id) =>
    JSON.stringify(aLine({ id: String(id) })),
  );
  const path = await file('long.ndjson', orders.join('\n'));
  const args = ['import-orders', '--organization', shop.organization.id, path];
  const child = start('cli', args, instance.env);
  t.after(() => child.kill('SIGKILL'));
  const ran = ranOf(child);
  const count = async () => {
    const [row] = await sql(
      'select count(*)::int as stored from orders where organization_id = $1',
      [shop.organization.id],
    );
    return Number((row as { stored: number } | undefined)?.stored);
  };
  while ((await count()) < 200) await new Promise((resolve) => setTimeout(resolve, 50));

  child.kill('SIGINT');
  // npm passes on what the terminal has sent already.
  await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const { code, stdout } = await ran;

  const stored = await count();
  assert.equal(code, 130);
  assert.ok(stored < orders.length, 'it was over before');
  assert.ok(
    stdout.endsWith(
      `\nImportación detenida: ${stored.toLocaleString('es-MX')} órdenes guardadas. Para continuar, repite el comando; lo que ya está guardado no se duplica.\n`,
    ),
    stdout,
  );
});

test('Ctrl+C ends an import that waits for more input, without reading half a line', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(instance);
  const args = ['import-orders', '--organization', shop.organization.id, '-', '--json'];
  const child = start('cli', args, instance.env);
  t.after(() => child.kill('SIGKILL'));
  const ran = ranOf(child);
  const lines = Array.from({ length: 200 }, (_, id) => JSON.stringify(aLine({ id: String(id) })));
  child.stdin?.write(`${lines.join('\n')}\n{"id": "half`);
  const isStored = async () => {
    const [row] = await sql('select 1 as stored from orders where organization_id = $1', [
      shop.organization.id,
    ]);
    return row !== undefined;
  };
  assert.ok(await eventually(isStored, 30_000));

  child.kill('SIGINT');
  const { code, json } = await ran;

  assert.equal(code, 130);
  assert.deepEqual([json.read, json.changed, json.refused, json.interrupted], [200, 200, 0, true]);
});

test('a second Ctrl+C ends an import at once', { tags: ['slow'] }, async (t) => {
  const shop = await openShop(instance);
  const path = await file('one.ndjson', JSON.stringify(aLine({ id: '1' })));
  const release = await lockOrders(t, instance);
  const child = start('cli', ['import-orders', '--organization', shop.organization.id, path], {
    ...instance.env,
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await someoneWaits(instance.app.database);

  child.kill('SIGINT');
  // Within a second it would pass for an echo of the first.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.deepEqual(
    [child.exitCode, child.signalCode],
    [null, null],
    'the first waits for the page',
  );
  child.kill('SIGINT');
  const [, signal] = await ended;
  await release();

  assert.equal(signal, 'SIGKILL');
});

test('import-orders exits with 2 when nothing could be read', async () => {
  const shop = await openShop(instance);
  await mkdir(join(folder, 'directory'));
  for (const path of [join(folder, 'none.ndjson'), join(folder, 'directory')]) {
    const args = ['import-orders', '--organization', shop.organization.id, path];
    const { code, json } = await cliAsIs(...args);
    assert.deepEqual(
      [code, Object.keys(json.error), json.error.code],
      [2, ['code', 'message'], 'not_found'],
    );
  }
  for (const [content, read] of [
    ['', 0],
    ['\n\n', 0],
    ['x\ny\n', 2],
  ] as const) {
    const path = await file('nothing.ndjson', content);
    const { code, json } = await cliAsIs(
      'import-orders',
      '--organization',
      shop.organization.id,
      path,
    );
    assert.deepEqual([code, json.read, json.refused], [2, read, read]);
  }
});

test('migrate says what it applied: everything on an empty database, then nothing', {
  tags: ['slow'],
}, async () => {
  const name = `${(await freshDatabase()).replace('_test_', '_test_empty_')}`;
  await atServer((client) => client.query(`create database ${name}`));
  const env = { ...instance.env, ...environmentOf(name) };
  const first = await runProcess(['migrate', '--json'], { env });
  const second = await runHere(['migrate', '--json'], env);

  assert.deepEqual(Object.keys(first.json), ['applied']);
  assert.ok(first.json.applied.length > 0);
  assert.deepEqual(second.json, { applied: [] });
  assert.equal(
    (await runHere(['migrate'], env)).stdout,
    `La base de datos «${name}» ya está al día.\n`,
  );
});

test('migrate as a role that may not change the schema says who may', {
  skip: process.env.DATABASE_URL && 'a served database has no such role',
}, async () => {
  const { DATABASE_URL } = environmentOf(await emptyDatabase());
  const url = new URL(DATABASE_URL as string);
  url.username = 'tianguis_app';

  const ran = await runHere(['migrate', '--json'], { ...instance.env, DATABASE_URL: url.href });

  assert.deepEqual([ran.code, ran.json.error.code], [1, 'not_started']);
  assert.match(ran.json.error.message, /con el dueño de las tablas en DATABASE_URL/);
});

test('with the embedded database: commands while no instance runs, then beside one', {
  tags: ['slow'],
}, async (t) => {
  const env = { DATA_DIR: join(folder, 'data'), MASTER_KEY: newMasterKey() };
  const here = async (...args: string[]) => oneLine(await runHere([...args, '--json'], env));
  const apart = async (...args: string[]) =>
    oneLine(await runProcess([...args, '--json'], { env }));

  // No instance: each command starts the database and stops it again.
  const { organization_id: organization } = await apart(
    'create-organization',
    '--name',
    'x',
    '--plan',
    'intermedio',
  );
  const { id: keyId, key } = await here('create-key', '--organization', organization);
  const path = await file('embedded.ndjson', `${JSON.stringify(aLine({ id: 'W-1' }))}\n`);
  assert.equal((await here('import-orders', '--organization', organization, path)).changed, 1);
  const connecting = [
    '--marketplace',
    'mercado_libre',
    '--credentials',
    credentials,
    '--base-url',
    market.url,
  ];
  await here('connect', '--organization', organization, ...connecting);
  const alone = await apart('sync', '--organization', organization, '--stream', 'orders');
  assert.ok(alone.streams[0].changed >= 1);

  // A new master key: the account's credentials and its secret for notifications are sealed again.
  const rotating = { ...env, MASTER_KEY: newMasterKey(), MASTER_KEY_PREVIOUS: env.MASTER_KEY };
  assert.deepEqual(oneLine(await runHere(['rotate-secrets', '--json'], rotating)), {
    resealed: 3,
  });
  env.MASTER_KEY = rotating.MASTER_KEY;
  assert.equal(
    (await here('sync', '--organization', organization, '--stream', 'orders')).streams.length,
    1,
  );

  // Beside an instance.
  const url = await startInstance(t, env);
  const api = (route: string, given = key) => callApi(url, route, {}, { key: given });
  assert.deepEqual(
    (await api('/v1/orders?marketplace=walmart')).body.data.map(({ id }: { id: string }) => id),
    ['W-1'],
  );
  assert.equal((await api('/v1/orders/2000000000000042')).status, 200);

  await Promise.all([
    apart('set-plan', '--organization', organization, '--plan', 'basico'),
    apart('create-organization', '--name', 'another', '--plan', 'demo'),
  ]);
  await soon(async () =>
    assert.equal((await api('/v1/me')).body.error?.code, 'plan_does_not_include_api'),
  );
  await here('set-plan', '--organization', organization, '--plan', 'avanzado');
  await soon(async () => assert.equal((await api('/v1/me')).body.data?.plan, 'avanzado'));

  const later = await file('later.ndjson', `${JSON.stringify(aLine({ id: 'W-2' }))}\n`);
  await here('import-orders', '--organization', organization, later);
  await soon(async () => assert.equal((await api('/v1/orders/W-2')).status, 200));
  const together = await here('sync', '--organization', organization);
  assert.deepEqual(
    together.streams.map(({ stream }: { stream: string }) => stream),
    ['orders', 'inventory', 'balances', 'settlements', 'invoices'],
  );

  await here('revoke-key', '--key-id', keyId);
  await soon(async () => assert.equal((await api('/v1/me')).body.error?.code, 'api_key_revoked'));
});

const AN_ITEM = { title: 'Taza', quantity: 1, unit_price: 100.5 };
const A_TIME = 'debe ser una fecha y hora ISO 8601 con Z o desfase.';
const A_COUNT = 'debe ser un número entero de cero o más.';
const SLUGS = MARKETPLACES.join(', ');
const STATUSES =
  'pending, paid, ready_to_ship, partially_shipped, shipped, delivered, cancelled, returned, refunded, unknown';

function aLine(change: Record<string, unknown>): Record<string, unknown> {
  return {
    id: 'W-1',
    marketplace: 'walmart',
    status: 'paid',
    total: 100.5,
    currency: 'MXN',
    buyer_name: 'Ana Ruiz',
    date_created: '2026-11-01T12:00:00Z',
    date_closed: null,
    items: [AN_ITEM],
    ...change,
  };
}

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

function run(args: readonly string[]): Promise<Ran> {
  return runHere(args, instance.env);
}

/** A command in a process of its own. */
async function runProcess(
  args: readonly string[],
  { env = instance.env, input = '' }: RunOptions = {},
): Promise<Ran> {
  const child = start('cli', args, env);
  child.stdin?.on('error', () => {}).end(input);
  return ranOf(child);
}

/** Elsewhere than in the checkout, whose `.env` is not ours. */
function start(
  program: 'cli' | 'main',
  args: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, [join(CHECKOUT, `src/${program}.ts`), ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
}

async function cliAsIs(...args: string[]): Promise<Ran> {
  const ran = await run([...args, '--json']);
  assert.match(ran.stdout, /^\{.*\}\n$/, `exactly one line: ${ran.stdout}${ran.stderr}`);
  return ran;
}

async function cli(...args: string[]): Promise<Ran> {
  const ran = await cliAsIs(...args);
  oneLine(ran);
  return ran;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the command said
function oneLine({ code, stdout, stderr, json }: Ran): any {
  assert.match(stdout, /^\{.*\}\n$/, `exactly one line: ${stdout}${stderr}`);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  return json;
}

async function fails(expected: string, ...args: readonly string[]): Promise<{ message: string }> {
  return failsOf(cliAsIs(...args), expected);
}

async function failsOf(running: Promise<Ran>, expected: string): Promise<{ message: string }> {
  const { code, json, stderr } = await running;
  assert.deepEqual([code, stderr], [1, ''], JSON.stringify(json));
  assert.deepEqual(Object.keys(json), ['error']);
  const reported = Object.keys(json.error).filter((key) => key !== 'param' && key !== 'details');
  assert.deepEqual(reported, ['code', 'message']);
  assert.equal(json.error.code, expected, json.error.message);
  return json.error;
}

function connectTo(shop: Shop, typed = credentials, url = market.url): Promise<Ran> {
  const where = ['--organization', shop.organization.id, '--marketplace', 'mercado_libre'];
  return cliAsIs('connect', ...where, '--credentials', typed, '--base-url', url);
}

async function importLines(shop: Shop, lines: readonly object[]) {
  const path = await file(
    'orders.ndjson',
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  return (await cli('import-orders', '--organization', shop.organization.id, path)).json;
}

async function anOrganization(): Promise<string> {
  return (await openShop(instance)).organization.id;
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function newMasterKey(): string {
  return randomBytes(32).toString('base64');
}

function sql(text: string, values: unknown[]): Promise<object[]> {
  return instance.app.database.write((handle) => handle.sql(text, values));
}

/**
 * `npm start` in a process of its own. @returns its address, from the line that says that it is
 * ready
 */
async function startInstance(t: TestContext, env: Record<string, string>): Promise<string> {
  const child = start('main', [], { ...env, PORT: '0' });
  t.after(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    const { msg, url } = JSON.parse(line);
    if (msg === 'ready') {
      child.stderr?.resume();
      return url;
    }
  }
  throw new Error('the instance did not start');
}
