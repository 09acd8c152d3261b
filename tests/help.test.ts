import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anAgent } from './support/agents.ts';
import { callApi, openApp, type TestApp } from './support/app.ts';
import { callTool } from './support/mcp.ts';
import { newcomer, openMailingInstance, openTeam, register } from './support/people.ts';
import { freshDatabase } from './support/server.ts';
import { mailsTo, openVisitor } from './support/visitor.ts';

// Whom users ask for help, and the privacy notice: by the operator's settings, and
// without them.

const SETTINGS = {
  SUPPORT_EMAIL: 'ayuda@papeleria.example',
  OPERATOR_NAME: 'Papelería <Sol>, S.A. de C.V.',
  OPERATOR_ADDRESS: 'Calle Uno 1, 06000 Ciudad de México',
};
const WRITE = 'escribe a ayuda@papeleria.example';
const ASK = 'pide ayuda a quien administra este servicio de Tianguis';

const PATIENCE_MS = 30_000;

const named = await openMailingInstance(WHOLE_FILE, undefined, SETTINGS);
const unnamed = await openApp(WHOLE_FILE, { database: await freshDatabase() });

test('refusals of the API and of the agent endpoint say whom to write to', async () => {
  for (const [instance, ask] of [
    [named.instance, WRITE],
    [unnamed, ASK],
  ] as const) {
    const { organization, key } = await instance.tenant();
    const agent = await anAgent(instance, { organizationId: organization.id });
    await setPlan(instance, organization.id, 'basico');

    await soon(async () => assert.equal((await me(instance, key)).status, 403), PATIENCE_MS);
    const byPlan = (await me(instance, key)).body.error;
    const byAgent = (await callTool(instance, agent, 'get_account')).body.error;
    await suspend(instance, organization.id);
    await soon(
      async () => assert.equal((await me(instance, key)).body.error.code, 'organization_suspended'),
      PATIENCE_MS,
    );
    const bySuspension = (await me(instance, key)).body.error;

    const sentence = `Tu plan Básico no incluye la API. Para cambiar a Intermedio o superior, ${ask}.`;
    assert.deepEqual([byPlan.message, byAgent.message], [sentence, sentence]);
    assert.equal(
      bySuspension.message,
      `La organización está suspendida. Para reactivarla, ${ask}.`,
    );
  }
});

test('an agent without accounts to read gets the support contact', async () => {
  for (const [instance, ask] of [
    [named.instance, WRITE],
    [unnamed, ASK],
  ] as const) {
    const { organization } = await instance.tenant();
    const agent = await anAgent(instance, { organizationId: organization.id });

    const { body } = await callTool(instance, agent, 'get_inventory');

    assert.equal(
      body.result.structuredContent.empty_because,
      `No hay ninguna cuenta conectada que dé existencias. Para conectar una, ${ask}.`,
    );
  }
});

test('the OpenAPI document names the contact, and its sentences are those of the installation', async () => {
  const [reported, notReported] = await Promise.all([
    documentOf(named.instance),
    documentOf(unnamed),
  ]);

  assert.deepEqual(reported.info.contact, {
    name: SETTINGS.OPERATOR_NAME,
    email: SETTINGS.SUPPORT_EMAIL,
  });
  assert.ok(!('contact' in notReported.info));
  for (const [document, ask] of [
    [reported, WRITE],
    [notReported, ASK],
  ] as const) {
    const { 403: refused, 500: broken } = document.paths['/v1/me'].get.responses;
    assert.ok(refused.description.includes(`Para reactivarla, ${ask}.`), refused.description);
    assert.ok(broken.description.includes(`Si se repite, ${ask} e incluye el request_id.`));
    const { value } = broken.content['application/json'].examples.internal_error;
    assert.ok(value.error.message.includes(ask));
  }
});

test('every page leads to the privacy notice and to help; registering says so before the button', async () => {
  const stranger = openVisitor(named.instance.url);
  const { owner, organizacion } = await openTeam(named.instance, named.folder);
  const help = `Ayuda: <a href="mailto:${SETTINGS.SUPPORT_EMAIL}">${SETTINGS.SUPPORT_EMAIL}</a>`;
  for (const [visitor, page] of [
    [stranger, '/entrar'],
    [stranger, '/registro'],
    [stranger, '/cuenta/no-existe'],
    [owner.visitor, '/cuenta'],
    [owner.visitor, '/cuenta/agentes'],
  ] as const) {
    const { text } = await visitor.get(page);
    assert.match(text, /<footer><a href="\/privacidad">Aviso de privacidad<\/a>/, page);
    assert.ok(text.includes(help), page);
  }
  await suspend(named.instance, organizacion);
  assert.match(
    (await owner.visitor.get('/cuenta')).text,
    new RegExp(`Para reactivarla, ${WRITE}\\.`),
  );
  assert.match(
    (await stranger.get('/registro')).text,
    /como dice el <a href="\/privacidad">[\s\S]*<button>Crear/,
  );
  const elsewhere = await openVisitor(unnamed.url).get('/registro');
  assert.match(elsewhere.text, /<footer><a href="\/privacidad">Aviso de privacidad<\/a><\/footer>/);
});

test('the privacy notice has what the law asks for, with the operator of the settings', async () => {
  const { status, text } = await openVisitor(named.instance.url).get('/privacidad');

  assert.equal(status, 200);
  assert.deepEqual(
    [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title),
    [
      'Quién es el responsable',
      'Qué datos se tratan',
      'Para qué se usan',
      'Tus derechos ARCO',
      'Cómo limitar el uso de tus datos',
      'Con quién se comparten',
      'Cookies',
      'Cambios a este aviso',
    ],
  );
  assert.match(
    text,
    /<strong>Papelería &#60;Sol&#62;, S\.A\. de C\.V\.<\/strong>, con domicilio en Calle Uno 1/,
  );
  assert.match(text, new RegExp(`Para hacerlo, ${WRITE} e incluye:`));
});

test('without an operator’s name the privacy notice says so and invents none', async () => {
  const { text } = await openVisitor(unnamed.url).get('/privacidad');

  assert.match(
    text,
    /todavía no\s+indica su nombre ni su domicilio: pídelos a quien te dio acceso/,
  );
  assert.match(text, new RegExp(`Para hacerlo, ${ASK} e incluye:`));
  assert.doesNotMatch(text, /mailto:|null|undefined/);
});

test('an operator with a notice of their own sends people there', async (t) => {
  const PRIVACY_URL = 'https://papeleria.example/aviso';
  const instance = await openApp(t, { database: await freshDatabase(), env: { PRIVACY_URL } });
  const visitor = openVisitor(instance.url);

  assert.equal((await visitor.get('/privacidad')).to, PRIVACY_URL);
  const { text } = await visitor.get('/registro');
  assert.equal(
    text.split(`<a href="${PRIVACY_URL}">`).length,
    3,
    'above the button and in the footer',
  );
});

test('answers to mails go to the support address', async () => {
  const { visitor, email } = newcomer(named.instance);
  await register(visitor, email);

  const [mail] = await mailsTo(named.folder, email, 1);

  assert.match(mail ?? '', /^Reply-To: ayuda@papeleria\.example$/m);
});

function me(instance: TestApp, key: string) {
  return callApi(instance.url, '/v1/me', {}, { key });
}

async function documentOf(instance: TestApp) {
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as far as it is looked at
  return (await (await fetch(`${instance.url}/v1/openapi.json`)).json()) as any;
}

function setPlan(instance: TestApp, organizationId: string, plan: string) {
  return changeAsOperator(instance, 'update organizations set plan = $2 where id = $1', [
    organizationId,
    plan,
  ]);
}

function suspend(instance: TestApp, organizationId: string) {
  return changeAsOperator(instance, 'update organizations set suspended_at = now() where id = $1', [
    organizationId,
  ]);
}

/** A change by an operator, which every process hears of. */
async function changeAsOperator(instance: TestApp, statement: string, values: readonly unknown[]) {
  await instance.app.database.write(async (handle) => {
    await handle.sql(statement, values);
    await handle.sql(`select pg_notify('access', $1)`, [values[0]]);
  });
}
