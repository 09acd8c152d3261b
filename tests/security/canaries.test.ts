import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startWooCommerce } from '../../simulators/woocommerce/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { runCommand } from '../reliability/support/commands.ts';
import { type Env, makeFolder } from '../reliability/support/ground.ts';
import {
  type Ending,
  eventually,
  lastFirst,
  launchInstance,
  MASTER_KEY,
} from '../reliability/support/processes.ts';
import { soon } from '../spec/support/soon.ts';
import { openApp } from '../support/app.ts';
import { dumpOf } from '../support/dump.ts';
import { PASSWORD, register, signIn, withSecondFactor } from '../support/people.ts';
import { codeOf, mailsTo, openVisitor, tokenIn, type Visitor } from '../support/visitor.ts';
import { sweepFor } from './support/sweep.ts';

// Secrets of every kind come in by their own doors into a service that logs all it can. Afterwards
// none is in the database, in its files, in a log, a mail, a page, a bundle, an answer, an export, a
// backup or the journal of removals, written in whatever way.

/** In clear by design: the sweep must find it where it looks. */
const KNOWN = 'Papelería Sol';
const NEW_PASSWORD = 'siete platos verdes';
const WRONG_PASSWORD = 'nueve jarras negras';
const WRONG_SECRET = 'cs_0123456789canario0123456789canario01';
const FOREIGN_LINK = 'canario-0123456789-enlace-0123456789';
const FOREIGN_KEY = 'tgs_canario0123456789abcdefghijklmnopqrstuvwxyz01';

interface Service {
  readonly url: string;
  readonly env: Env;
  readonly dataDir: string;
  /** Every line at level debug. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

test('secrets that came in by their doors are in no place where they do not belong', {
  tags: ['slow'],
}, async (context) => {
  const t = lastFirst(context);
  const service = await start(t);
  const secrets = new Map<string, string>([['master key', MASTER_KEY]]);
  const answers: string[] = [];
  const organization = await people(service, secrets, answers);
  await shops(t, service, secrets, organization);
  await strangers(service, secrets, answers);
  const kept = await exported(t, service, organization);
  await service.stop();

  const sweep = sweepFor(secrets);
  const found = {
    log: sweep(service.log.join('\n')),
    answers: sweep(answers.join('\n')),
    ...Object.fromEntries(Object.entries(kept).map(([name, text]) => [name, sweep(text)])),
    files: filesIn(service.dataDir).flatMap((file) =>
      sweep(readFileSync(file).toString('latin1'), isOfMails(file) ? LINKED : []).map(
        (what) => `${what} in ${file.slice(service.dataDir.length)}`,
      ),
    ),
  };
  const own = await openApp(t, { env: { ...service.env, DATABASE_URL: '' } });
  const dump = await dumpOf(own);

  assert.deepEqual({ ...found, database: sweep(dump.join('\n')) }, nothingIn(found));
  assert.ok(secrets.size > 20, [...secrets.keys()].join());
  for (const path of ['/v1/orders/tgs_…', '/descargas/…'])
    assert.ok(service.log.some((line) => line.includes(`"path":"${path}"`)));
  assert.ok(dump.some((text) => text.includes(KNOWN)));
});

test('the sweep finds a secret in whatever way it is written', () => {
  const sweep = sweepFor(new Map([['password', PASSWORD]]));
  const bytes = Buffer.from(PASSWORD);
  for (const text of [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    new URLSearchParams({ p: PASSWORD }).toString(),
    bytes.toString('hex'),
    `{"a":"${bytes.toString('base64')}"}`,
    Buffer.from(`ck:${PASSWORD}`).toString('base64'),
  ])
    assert.deepEqual(sweep(`before ${text} after`), ['password'], text);
  assert.deepEqual(sweep('cuatro tazas'), []);
});

/** Of links that are sent by mail. */
const LINKED = ['token of confirmation', 'token of recovery', 'token of invitation'];

/** Registration, second factor, keys, recovery and an invitation, on the pages. @returns its id */
async function people(
  { url, dataDir, env }: Service,
  secrets: Map<string, string>,
  answers: string[],
): Promise<string> {
  const folder = join(dataDir, 'mail');
  const mailed = async (to: string, page: string) => {
    let token = '';
    await soon(async () => {
      token = tokenIn(await mailsTo(folder, to, 1), page);
    });
    return token;
  };
  const email = 'ana@tienda.example';
  const visitor = openVisitor(url);
  await register(visitor, email);
  const confirmation = await mailed(email, '/verificar-correo');
  await visitor.post('/verificar-correo', { token: confirmation, contrasena: PASSWORD });
  answers.push((await signIn(openVisitor(url), email, WRONG_PASSWORD)).text);
  await signIn(visitor, email);
  const factor = await withSecondFactor(visitor);
  const code = codeOf(factor.key, Date.now() + 30_000);
  answers.push((await visitor.post('/cuenta/confirmar', { codigo: '000000' })).text);
  const { organizations } = await runCommand<{
    organizations: { organization_id: string; name: string }[];
  }>(env, ['organizations']);
  const organization = organizations.find(({ name }) => name === KNOWN)?.organization_id ?? '';
  await runCommand(env, ['set-plan', '--organization', organization, '--plan', 'experto']);
  const made = await visitor.post('/cuenta/claves', {
    organizacion: organization,
    formulario: newId(),
    nombre: 'almacén',
    permiso: 'orders:read',
    vigencia: '',
  });
  const key = /id="clave-de-api">([^<]+)</.exec(made.text)?.[1] ?? '';
  await visitor.post('/cuenta/miembros/invitar', {
    organizacion: organization,
    correo: 'beto@tienda.example',
    rol: 'member',
  });
  const session = sessionOf(visitor);
  await openVisitor(url).post('/recuperar', { correo: email });
  const recovery = await mailed(email, '/restablecer');
  await visitor.post('/restablecer', { token: recovery, contrasena: NEW_PASSWORD });
  const invitation = await mailed('beto@tienda.example', '/invitacion');
  for (const path of ['/v1/orders', `/v1/orders?api_key=${key}`, `/v1/orders/${key}`])
    answers.push(await (await fetch(url + path, { headers: bearer(key) })).text());

  for (const [name, secret] of Object.entries({
    password: PASSWORD,
    'wrong password': WRONG_PASSWORD,
    'new password': NEW_PASSWORD,
    'key of the second factor': factor.key.replaceAll(' ', ''),
    'API key': key,
    'session token': session,
    'token of confirmation': confirmation,
    'token of recovery': recovery,
    'token of invitation': invitation,
  }))
    secrets.set(name, secret);
  for (const [at, backup] of factor.backupCodes.entries()) secrets.set(`backup code ${at}`, backup);
  assert.match(code, /^\d{6}$/);
  return organization;
}

/** Accounts with good and bad credentials, their buyers, and secrets of webhooks. */
async function shops(
  t: Ending,
  { url, env }: Service,
  secrets: Map<string, string>,
  organization: string,
): Promise<void> {
  const store = await startWooCommerce({ seed: 'canarios', now: () => Date.now() });
  t.after(store.close);
  for (let order = 0; order < 3; order++) store.world.pay(store.world.place().id);
  const file = join(makeFolder(t), 'credentials.json');
  const connect = (credentials: object) => {
    writeFileSync(file, JSON.stringify(credentials));
    const named = ['connect', '--organization', organization, '--marketplace', 'woocommerce'];
    return runCommand(env, [...named, '--credentials', file, '--base-url', store.url]);
  };
  const good = store.credentials();
  await assert.rejects(connect({ ...good, consumer_secret: WRONG_SECRET }));
  await connect(good);
  await runCommand(env, ['sync', '--organization', organization, '--stream', 'orders']);
  const of = ['--organization', organization];
  const endpoint = await runCommand<{ secret: string }>(env, [
    'create-webhook-endpoint',
    ...of,
    ...['--url', 'https://recibe.example/'],
  ]);
  const { webhook_url } = await runCommand<{ webhook_url: string }>(env, [
    'carrier-webhook',
    ...of,
  ]);
  const address = new URL(webhook_url);
  const secret = address.searchParams.get('secret') ?? '';
  for (const body of ['{}', 'no es JSON'])
    await fetch(`${url}${address.pathname}${address.search}`, { method: 'POST', body });

  secrets.set('consumer key', good.consumer_key);
  secrets.set('consumer secret', good.consumer_secret);
  secrets.set('wrong consumer secret', WRONG_SECRET);
  secrets.set('secret of an endpoint', endpoint.secret.replace(/^whsec_/, ''));
  secrets.set('secret of a carrier’s address', secret);
  store.world.orders().forEach(({ buyer }, at) => {
    secrets.set(`e-mail of buyer ${at}`, buyer.email);
    secrets.set(`telephone of buyer ${at}`, buyer.phone);
    secrets.set(`street of buyer ${at}`, buyer.address.street);
  });
}

/** Secrets where they are refused, and pages with their scripts. */
async function strangers(
  { url }: Service,
  secrets: Map<string, string>,
  answers: string[],
): Promise<void> {
  secrets.set('key of another installation', FOREIGN_KEY);
  secrets.set('link to a file', FOREIGN_LINK);
  for (const path of [`/descargas/${FOREIGN_LINK}`, `/descargas/cfdi/${FOREIGN_LINK}`])
    answers.push(await (await fetch(url + path)).text());
  for (const path of ['/v1/orders', '/manage/v1/exports', '/mcp', `/v1/${FOREIGN_KEY}`]) {
    const answer = await fetch(url + path, { headers: bearer(FOREIGN_KEY) });
    answers.push(await answer.text());
  }
  for (const page of ['/entrar', '/registro', '/docs', '/openapi.json', '/privacidad']) {
    const text = await (await fetch(url + page)).text();
    answers.push(text);
  }
  const bundle = join(import.meta.dirname, '../../panel/dist');
  for (const file of filesIn(bundle)) answers.push(readFileSync(file, 'utf8'));
}

/** What leaves the service as a file: exports, a backup, the journal of removals. */
async function exported(
  t: Ending,
  { env, dataDir }: Service,
  organization: string,
): Promise<Record<string, string>> {
  const folder = makeFolder(t);
  const of = ['--organization', organization];
  const texts: Record<string, string> = {};
  for (const format of ['csv', 'ndjson']) {
    const out = join(folder, `orders.${format}`);
    await runCommand(env, ['export', ...of, '--what', 'orders', '--format', format, '--out', out]);
    texts[`export as ${format}`] = readFileSync(out, 'utf8');
    assert.ok((texts[`export as ${format}`] ?? '').split('\n').length > 3);
  }
  const backup = join(folder, 'backup.tianguis');
  await runCommand(env, ['backup', backup]);
  texts.backup = readFileSync(backup).toString('latin1');
  await runCommand(env, ['disconnect', ...of, '--marketplace', 'woocommerce']);
  texts.journal = readFileSync(join(dataDir, 'removals.tianguis')).toString('latin1');
  for (const name of ['backup', 'journal'])
    assert.equal(texts[name]?.includes(KNOWN), false, `${name} is sealed whole`);
  return texts;
}

async function start(t: Ending): Promise<Service> {
  const dataDir = join(makeFolder(t), 'data');
  const env = {
    DATA_DIR: dataDir,
    MASTER_KEY,
    LOG_LEVEL: 'debug',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const log: string[] = [];
  const running = launchInstance(t, env, (line) => log.push(line) > 0);
  const ready = () => log.find((line) => line.includes('"msg":"ready"'));
  assert.ok(await eventually(() => ready() !== undefined || running.hasEnded(), 120_000));
  const { url } = JSON.parse(ready() ?? '{}') as { url: string };
  const stop = async () => assert.equal(await running.end('SIGTERM'), 0);
  return { url, env, dataDir, log, stop };
}

function nothingIn(found: object): object {
  const places = [...Object.keys(found), 'database'];
  return Object.fromEntries(places.map((place) => [place, []]));
}

function filesIn(folder: string): string[] {
  return readdirSync(realpathSync(folder)).flatMap((name) => {
    const path = join(folder, name);
    const target = lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
    const stat = lstatSync(target);
    if (stat.isDirectory()) return filesIn(path);
    return stat.isFile() ? [path] : [];
  });
}

function isOfMails(file: string): boolean {
  return /\/mail\/[^/]+$/.test(file);
}

/** The signed cookie of the session holds its token. */
function sessionOf({ cookies }: Visitor): string {
  const [, value = ''] = [...cookies].find(([name]) => name.includes('session')) ?? [];
  return decodeURIComponent(value).split('.')[0] ?? '';
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
