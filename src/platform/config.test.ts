import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';
import { variableNames } from './config-variables.ts';

const MASTER_KEY = randomBytes(32).toString('base64');
const configOf = (env: Record<string, string | undefined>) => readConfig(env, ['mercado_libre']);

test('an empty environment gives an instance on loopback with its own database', () => {
  const { settings, secrets } = configOf({});
  assert.deepEqual(
    [settings.role, settings.host, settings.port, settings.publicUrl, settings.dataDir],
    ['all', '127.0.0.1', 3000, 'http://localhost:3000', './data'],
  );
  assert.deepEqual([secrets.databaseUrl, secrets.redisUrl, secrets.keyring], [null, null, null]);
});

test('all faults are reported at once, in Spanish', () => {
  const wrong = {
    PORT: '70000',
    ROLE: 'jefe',
    PUBLIC_URL: 'http://example.com',
    DATABASE_URL: 'mysql://x',
    MASTER_KEY: 'corta',
    TRUSTED_PROXIES: '10.0.0.0/99',
    MIGRATE: 'quizá',
    DRAIN_SECONDS: '3',
  };
  assert.throws(
    () => configOf(wrong),
    (error) =>
      error instanceof ConfigError &&
      Object.keys(wrong).every((name) => error.faults.some((fault) => fault.includes(name))),
  );
});

test('the operator comes from settings, each of which is checked', () => {
  const { operatorName, operatorAddress, supportEmail, privacyUrl } = configOf({
    SUPPORT_EMAIL: ' ayuda+mx@tienda.example ',
    OPERATOR_NAME: 'Comercializadora Ñandú, S.A. de C.V.',
    OPERATOR_ADDRESS: 'Calle Uno 1, 06000 Ciudad de México',
    PRIVACY_URL: 'https://tienda.example/aviso',
  }).settings;
  assert.deepEqual(
    [operatorName, operatorAddress, supportEmail, privacyUrl],
    [
      'Comercializadora Ñandú, S.A. de C.V.',
      'Calle Uno 1, 06000 Ciudad de México',
      'ayuda+mx@tienda.example',
      'https://tienda.example/aviso',
    ],
  );
  for (const [name, value] of [
    ['SUPPORT_EMAIL', 'ayuda'],
    ['SUPPORT_EMAIL', 'ayuda@localhost'],
    ['SUPPORT_EMAIL', 'Ayuda <ayuda@tienda.example>'],
    ['SUPPORT_EMAIL', 'ayuda@tienda.example, ventas@tienda.example'],
    ['SUPPORT_EMAIL', 'ayuda?bcc=x@tienda.example'],
    ['OPERATOR_NAME', 'Una línea\nOtra'],
    ['OPERATOR_ADDRESS', 'x'.repeat(301)],
    ['PRIVACY_URL', 'http://tienda.example/aviso'],
    ['PRIVACY_URL', 'javascript:alert(1)'],
  ] as const)
    assert.throws(() => configOf({ [name]: value }), new RegExp(name), value);
});

test('a process that is not alone needs what it shares', () => {
  for (const ROLE of ['api', 'worker'])
    assert.throws(
      () => configOf({ ROLE, MASTER_KEY, DATABASE_URL: 'postgres://localhost/x' }),
      new RegExp(`ROLE=${ROLE} necesita REDIS_URL`),
    );
  assert.equal(
    configOf({
      ROLE: 'api',
      MASTER_KEY,
      DATABASE_URL: 'postgres://localhost/x',
      REDIS_URL: 'redis://localhost',
    }).settings.role,
    'api',
  );
});

test('a second factor may wait on this machine only', () => {
  assert.equal(configOf({}).settings.secondFactor, 'required');
  assert.equal(configOf({ SECOND_FACTOR: 'deferred' }).settings.secondFactor, 'deferred');
  assert.throws(
    () => configOf({ SECOND_FACTOR: 'deferred', PUBLIC_URL: 'https://api.example.com' }),
    /SECOND_FACTOR/,
  );
  assert.throws(() => configOf({ SECOND_FACTOR: 'nunca' }), /SECOND_FACTOR/);
});

test('a weak master key is refused', () => {
  for (const weak of [
    Buffer.alloc(32).toString('base64'),
    randomBytes(16).toString('base64'),
    `${MASTER_KEY}x`,
  ])
    assert.throws(() => configOf({ MASTER_KEY: weak }), ConfigError);
});

test('test stands and applications are read by their slug', () => {
  const { settings, secrets } = configOf({
    MERCADO_LIBRE_BASE_URL: 'http://127.0.0.1:9/path',
    MERCADO_LIBRE_CLIENT_ID: '1',
    MERCADO_LIBRE_CLIENT_SECRET: 's',
  });
  assert.deepEqual(settings.baseUrls, { mercado_libre: 'http://127.0.0.1:9' });
  assert.deepEqual(secrets.applications, { mercado_libre: { clientId: '1', clientSecret: 's' } });
  assert.throws(() => configOf({ MERCADO_LIBRE_CLIENT_ID: '1' }), /MERCADO_LIBRE_CLIENT_SECRET/);
});

test('variables of other programs are not those of a service', () => {
  const { settings, secrets } = configOf({
    AZURE_CLIENT_ID: 'of another program',
    VITE_BASE_URL: '/',
    STYLE_GUIDE_URL: 'style.md',
  });
  assert.deepEqual([settings.baseUrls, settings.guideUrls, secrets.applications], [{}, {}, {}]);
});

test('one host for clients’ documents is refused where clients use https', () => {
  const CLIENT_DOCUMENTS_BASE_URL = 'http://127.0.0.1:9';

  assert.equal(
    configOf({ CLIENT_DOCUMENTS_BASE_URL }).settings.baseUrls.client_documents,
    'http://127.0.0.1:9',
  );
  assert.throws(
    () => configOf({ CLIENT_DOCUMENTS_BASE_URL, PUBLIC_URL: 'https://tianguis.example' }),
    /CLIENT_DOCUMENTS_BASE_URL es solo para pruebas/,
  );
});

test('a fault is reported once, with the sentence of its own variable', () => {
  const faultsOf = (env: Record<string, string>) => {
    try {
      configOf(env);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };

  assert.deepEqual(faultsOf({ ROLE: 'jefe' }), ['ROLE debe ser all, api o worker.']);
  assert.deepEqual(faultsOf({ MIGRATE: 'quizá' }), ['MIGRATE debe ser on u off.']);
  assert.deepEqual(faultsOf({ LOG_LEVELS: 'sync=debug,,http=warn' }), []);
  assert.deepEqual(faultsOf({ LOG_LEVELS: 'sync' }), [
    'LOG_LEVELS debe ser una lista como connect=debug.',
  ]);
  assert.match(
    faultsOf({ LOG_LEVELS: 'cocina=debug' }).join(),
    /^Cada parte de LOG_LEVELS debe ser/,
  );
  assert.match(
    faultsOf({ LOG_LEVELS: 'sync=todo' }).join(),
    /^El nivel de sync en LOG_LEVELS debe/,
  );
  assert.deepEqual(faultsOf({ QUOTA_WINDOW_SECONDS: '61' }), [
    'QUOTA_WINDOW_SECONDS debe ser un entero entre 1 y 60.',
  ]);
  assert.deepEqual(faultsOf({ SMTP_URL: 'correo.example' }), [
    'SMTP_URL debe empezar con smtp:// o smtps://.',
  ]);
  assert.deepEqual(faultsOf({ MCP_ORIGINS: 'https://a.example,https://b.example/x' }), [
    'MCP_ORIGINS: «https://b.example/x» no es un origen; uno es, por ejemplo, https://agente.example.',
  ]);
  assert.deepEqual(
    faultsOf({ ROLE: 'api', REDIS_URL: 'http://x', DATABASE_URL: 'postgres://x/y' }),
    ['REDIS_URL debe empezar con redis:// o rediss://.'],
  );
  assert.equal(faultsOf({ MASTER_KEY: 'corta', MASTER_KEY_PREVIOUS: MASTER_KEY }).length, 1);
  assert.match(
    faultsOf({ MASTER_KEY_PREVIOUS: MASTER_KEY }).join(),
    /indica también la clave nueva/,
  );
});

test('what is not set follows from what is', () => {
  const { settings } = configOf({ PUBLIC_URL: 'https://api.example.com/', PORT: '8080' });

  assert.equal(settings.publicUrl, 'https://api.example.com');
  assert.equal(settings.mcpUrl, 'https://api.example.com');
  assert.equal(settings.mailFrom, 'Tianguis <no-responder@api.example.com>');
  assert.equal(configOf({ PORT: '8080' }).settings.mcpUrl, 'http://localhost:8080');
});

test('every variable that is read is in the table of settings, and every one of the table is read', () => {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        read.add(String(name));
        return undefined;
      },
    },
  );

  configOf(env);

  assert.deepEqual([...read].sort(), variableNames(['mercado_libre']).sort());
});
