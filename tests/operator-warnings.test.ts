import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from './reliability/support/commands.ts';
import { makeFolder } from './reliability/support/ground.ts';
import {
  type Ending,
  lastFirst,
  NO_REDIS,
  startInstance,
} from './reliability/support/processes.ts';
import { environmentOf } from './support/app.ts';
import { freshDatabase } from './support/server.ts';

// Warnings at the start about a valid and probably unintended configuration.
// Also runs on served PostgreSQL and Redis.

const OPERATOR = {
  OPERATOR_NAME: 'Comercializadora de Prueba, S.A. de C.V.',
  OPERATOR_ADDRESS: 'Calle Uno 1, Ciudad de México',
  SUPPORT_EMAIL: 'ayuda@tianguis.example',
};

test('a public service without a mail server says so at the start and in its alerts, until it has one', async (t) => {
  const own = lastFirst(t);
  const env = await environment(own);
  const settings = { ...env, ...OPERATOR, PUBLIC_URL: 'https://tianguis.example' };

  const instance = await startInstance(own, settings);
  const reported = warningsOf(instance.lines);
  const before = await alertsOf(own, env);
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
  assert.deepEqual(await alertsOf(own, env), []);
});

test('a public service whose privacy notice does not say who runs it gets a warning with the missing settings', async (t) => {
  const own = lastFirst(t);
  const settings = {
    ...(await environment(own)),
    PUBLIC_URL: 'https://tianguis.example',
    SMTP_URL: 'smtp://127.0.0.1:2525',
  };
  const reported = async (more: Record<string, string>) => {
    const instance = await startInstance(own, { ...settings, ...more });
    await instance.end('SIGTERM');
    return warningsOf(instance.lines);
  };

  const [unnamed, elsewhere, complete] = [
    await reported({ SUPPORT_EMAIL: OPERATOR.SUPPORT_EMAIL }),
    await reported({ PRIVACY_URL: 'https://tianguis.example/aviso' }),
    await reported(OPERATOR),
  ];

  assert.deepEqual(unnamed, [
    'Aviso: PUBLIC_URL es pública y el aviso de privacidad no está completo: indica OPERATOR_NAME, OPERATOR_ADDRESS, o tu propio aviso en PRIVACY_URL.',
  ]);
  assert.deepEqual(elsewhere, [
    'Aviso: PUBLIC_URL es pública y falta SUPPORT_EMAIL: los usuarios no saben a quién pedir ayuda.',
  ]);
  assert.deepEqual(complete, []);
});

test('a service that is open to the network without https, or without a second factor, says so', async (t) => {
  const own = lastFirst(t);
  const env = await environment(own);

  const instance = await startInstance(own, { ...env, HOST: '0.0.0.0', SECOND_FACTOR: 'deferred' });
  const reported = warningsOf(instance.lines);
  await instance.end('SIGTERM');
  const closed = await startInstance(own, { ...env, HOST: '127.0.0.1', SECOND_FACTOR: 'deferred' });

  assert.match(reported[0] ?? '', /^Aviso: HOST=0\.0\.0\.0 abre Tianguis a la red sin https/);
  assert.match(reported[1] ?? '', /^Aviso: SECOND_FACTOR=deferred con HOST=0\.0\.0\.0/);
  assert.equal(reported.length, 2);
  assert.deepEqual(warningsOf(closed.lines), []);
});

test('a misspelt setting is reported with the one that was meant; names of other programs are not', async (t) => {
  const own = lastFirst(t);
  const env = await environment(own);
  const misspelt = {
    PUBLIC_ULR: 'https://x.example',
    MERCADOLIBRE_BASE_URL: 'http://127.0.0.1:9',
    HOSTNAME: 'caja',
    NODE_ENV: 'production',
    USER: 'ana',
    TERM: 'xterm',
  };

  const instance = await startInstance(own, { ...env, ...misspelt });

  assert.deepEqual(warningsOf(instance.lines), [
    'Aviso: PUBLIC_ULR no es un ajuste de Tianguis. ¿Quisiste decir PUBLIC_URL?',
    'Aviso: MERCADOLIBRE_BASE_URL no es un ajuste de Tianguis. ¿Quisiste decir MERCADO_LIBRE_BASE_URL?',
  ]);
});

async function environment(own: Ending): Promise<Record<string, string>> {
  return {
    ...environmentOf(await freshDatabase()),
    DATA_DIR: makeFolder(own),
    REDIS_URL: NO_REDIS,
  };
}

function warningsOf(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith('Aviso: '));
}

async function alertsOf(own: Ending, env: Record<string, string>) {
  const { alerts } = await runCommand<{ alerts: { kind: string; subject: string }[] }>(own, env, [
    'alerts',
  ]);
  return alerts.filter(({ kind }) => kind === 'configuration');
}
