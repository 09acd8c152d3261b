import assert from 'node:assert/strict';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVICES } from '../src/carriers/registry.ts';
import { configOf } from '../src/environment.ts';
import { configWarnings } from '../src/platform/config-warnings.ts';
import { runCommand } from './reliability/support/commands.ts';
import { makeFolder } from './reliability/support/ground.ts';
import {
  type Ending,
  lastFirst,
  MASTER_KEY,
  NO_REDIS,
  startInstance,
} from './reliability/support/processes.ts';
import { environmentOf } from './support/app.ts';
import { atDatabase, freshDatabase } from './support/server.ts';

// Warnings at the start about a valid and probably unintended configuration.
// Also runs on served PostgreSQL and Redis.

const OPERATOR = {
  OPERATOR_NAME: 'Comercializadora de Prueba, S.A. de C.V.',
  OPERATOR_ADDRESS: 'Calle Uno 1, Ciudad de México',
  SUPPORT_EMAIL: 'ayuda@tianguis.example',
  API_HOSTS: 'tianguis.example',
};

test('a public service without a mail server says so at the start and in its alerts, until it has one', {
  tags: ['slow'],
}, async (t) => {
  const own = lastFirst(t);
  const env = await environment(own);
  const settings = { ...env, ...OPERATOR, PUBLIC_URL: 'https://tianguis.example' };

  const instance = await startInstance(own, settings);
  const reported = warningsOf(instance.lines);
  const before = await alertsOf(env);
  await instance.end('SIGTERM');
  const mended = await startInstance(own, { ...settings, SMTP_URL: 'smtp://127.0.0.1:2525' });
  await mended.end('SIGTERM');

  assert.equal(reported.length, 1, reported.join('\n'));
  assert.match(
    reported[0] ?? '',
    /^Aviso: PUBLIC_URL es pública y falta SMTP_URL: nadie recibe correos\./,
  );
  assert.deepEqual(
    before.map(({ kind, subject }) => [kind, subject]),
    [['configuration', 'SMTP_URL']],
  );
  assert.deepEqual(warningsOf(mended.lines), []);
  assert.deepEqual(await alertsOf(env), []);
});

test('a service that cannot store its warnings starts, says why, and ends with its signal', {
  tags: ['slow'],
}, async (t) => {
  const own = lastFirst(t);
  const database = await freshDatabase();
  await atDatabase(database, async (client) => {
    await client.query(
      `create function refuse() returns trigger language plpgsql as
       'begin raise exception ''no alert of a configuration''; end'`,
    );
    await client.query(
      "create trigger refuse before insert on alerts for each row when (new.kind = 'configuration') execute function refuse()",
    );
  });
  const env = { ...environmentOf(database), DATA_DIR: makeFolder(own), REDIS_URL: NO_REDIS };

  const instance = await startInstance(own, {
    ...env,
    ...OPERATOR,
    PUBLIC_URL: 'https://tianguis.example',
  });

  assert.ok(instance.lines.some((line) => /no alert of .*the warnings of the start/.test(line)));
  assert.equal(await instance.end('SIGTERM'), 0);
});

test('a public service whose privacy notice does not say who runs it gets a warning with the missing settings', () => {
  const settings = {
    PUBLIC_URL: 'https://tianguis.example',
    SMTP_URL: 'smtp://127.0.0.1:2525',
    API_HOSTS: OPERATOR.API_HOSTS,
  };
  const [unnamed, elsewhere, complete] = [
    warningsAt({ ...settings, SUPPORT_EMAIL: OPERATOR.SUPPORT_EMAIL }),
    warningsAt({ ...settings, PRIVACY_URL: 'https://tianguis.example/aviso' }),
    warningsAt({ ...settings, ...OPERATOR }),
  ];

  assert.deepEqual(unnamed, [
    'PUBLIC_URL es pública y el aviso de privacidad no está completo: indica OPERATOR_NAME, OPERATOR_ADDRESS, o tu propio aviso en PRIVACY_URL.',
  ]);
  assert.deepEqual(elsewhere, [
    'PUBLIC_URL es pública y falta SUPPORT_EMAIL: los usuarios no saben a quién pedir ayuda.',
  ]);
  assert.deepEqual(complete, []);
});

test('a public service that answers at any name of a host says so, with its own names', () => {
  const settings = { ...OPERATOR, SMTP_URL: 'smtp://127.0.0.1:2525', API_HOSTS: '' };
  const one = warningsAt({ ...settings, PUBLIC_URL: 'https://tianguis.example' });
  const two = warningsAt({
    ...settings,
    PUBLIC_URL: 'https://tianguis.example',
    MCP_URL: 'https://agentes.example',
  });
  const local = warningsAt({ ...settings, PUBLIC_URL: 'http://localhost:3000' });

  assert.deepEqual(one, [
    'PUBLIC_URL es pública y falta API_HOSTS: se atiende cualquier nombre de host. Usa API_HOSTS=tianguis.example para atender solo el tuyo.',
  ]);
  assert.match(two[0] ?? '', /Usa API_HOSTS=tianguis\.example,agentes\.example para/);
  assert.deepEqual(local, []);
});

test('a service that is open to the network without https, or without a second factor, says so', () => {
  const reported = warningsAt({ HOST: '0.0.0.0', SECOND_FACTOR: 'deferred' });
  const closed = warningsAt({ HOST: '127.0.0.1', SECOND_FACTOR: 'deferred' });

  assert.match(reported[0] ?? '', /^HOST=0\.0\.0\.0 abre Tianguis a la red sin https/);
  assert.match(reported[1] ?? '', /^SECOND_FACTOR=deferred con HOST=0\.0\.0\.0/);
  assert.equal(reported.length, 2);
  assert.deepEqual(closed, []);
});

test('metrics that are open to the network say so; without a port there are none', () => {
  const reported = warningsAt({ METRICS_HOST: '::', METRICS_PORT: '9464' });

  assert.match(reported[0] ?? '', /^METRICS_HOST=:: abre las métricas a la red, sin contraseña/);
  assert.equal(reported.length, 1);
  assert.deepEqual(warningsAt({ METRICS_HOST: '::1', METRICS_PORT: '9464' }), []);
  assert.deepEqual(warningsAt({ METRICS_HOST: '0.0.0.0' }), []);
  // One private network is a choice; every network, or a public one, is reported.
  for (const host of ['172.31.250.11', '10.0.0.5', '192.168.1.9', 'fd00::5'])
    assert.deepEqual(warningsAt({ METRICS_HOST: host, METRICS_PORT: '9464' }), [], host);
  for (const host of ['0.0.0.0', '172.32.0.1', '203.0.113.7', 'metrics.example'])
    assert.equal(warningsAt({ METRICS_HOST: host, METRICS_PORT: '9464' }).length, 1, host);
});

test('a data folder of another user of the machine is reported with its owner', (t) => {
  const own = lastFirst(t);
  const folder = makeFolder(own);
  // Only root gives a folder away; anybody else finds folders of root.
  const isRoot = process.getuid?.() === 0;
  const [foreign, owner] = isRoot ? [makeFolder(own), 4_321] : ['/usr', 0];
  if (isRoot) chownSync(foreign, owner, owner);
  const [reported = '', ...more] = warningsAt({ DATA_DIR: foreign });

  assert.deepEqual(more, []);
  assert.match(reported, /^La carpeta DATA_DIR=\S+ es de otro usuario del sistema/);
  assert.ok(reported.includes(`${foreign} es de otro usuario del sistema (${owner})`), reported);
  assert.deepEqual(warningsAt({ DATA_DIR: folder }), []);
  assert.deepEqual(warningsAt({ DATA_DIR: join(folder, 'todavía-no') }), []);
});

test('a misspelt setting is reported with the one that was meant; names of other programs are not', () => {
  const misspelt = {
    PUBLIC_ULR: 'https://x.example',
    MERCADOLIBRE_BASE_URL: 'http://127.0.0.1:9',
    TRUSTED_PROXY: '10.0.0.1',
    HOSTNAME: 'caja',
    NODE_ENV: 'production',
    USER: 'ana',
    TERM: 'xterm',
    GOOGLE_CLIENT_SECRET: 'de otro programa',
  };

  assert.deepEqual(warningsAt(misspelt), [
    'PUBLIC_ULR no es un ajuste de Tianguis. ¿Quisiste decir PUBLIC_URL?',
    'MERCADOLIBRE_BASE_URL no es un ajuste de Tianguis. ¿Quisiste decir MERCADO_LIBRE_BASE_URL?',
    'TRUSTED_PROXY no es un ajuste de Tianguis. ¿Quisiste decir TRUSTED_PROXIES?',
  ]);
});

async function environment(own: Ending): Promise<Record<string, string>> {
  return {
    ...environmentOf(await freshDatabase()),
    DATA_DIR: makeFolder(own),
    REDIS_URL: NO_REDIS,
  };
}

/** The warnings of a start with these settings, which the first test starts. */
function warningsAt(settings: Record<string, string>): string[] {
  const env = { MASTER_KEY, ...settings };
  return configWarnings(env, configOf(env), SERVICES).map(({ message }) => message);
}

/** What a process that was started says of its configuration. */
function warningsOf(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith('Aviso: '));
}

async function alertsOf(env: Record<string, string>) {
  const { alerts } = await runCommand<{ alerts: { kind: string; subject: string }[] }>(env, [
    'alerts',
  ]);
  return alerts.filter(({ kind }) => kind === 'configuration');
}
