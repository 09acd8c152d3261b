import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOrganization, effectiveTerms } from '../../src/features/organizations/index.ts';
import { PLANS, plansWithApi } from '../../src/features/plans/index.ts';
import { anOrder, openApp } from '../support/app.ts';
import { errorOf, openShop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';

// Specification, section 1: plan gating.

const instance = await openApp(WHOLE_FILE);
const PATHS = ['/v1/orders', '/v1/orders/A1', '/v1/me'];

for (const [plan, api] of [
  ['demo', false],
  ['basico', false],
  ['intermedio', true],
  ['avanzado', true],
  ['experto', true],
] as const) {
  test(`API access starts at the plan Intermedio: ${plan} ${api ? 'has' : 'does not have'} it`, async () => {
    const shop = await openShop(instance, plan);
    await shop.record(anOrder({ id: 'A1' }));

    for (const path of PATHS) {
      const answer = await shop.get(path);
      if (api) assert.equal(answer.status, 200);
      else errorOf(answer, '403 plan_does_not_include_api');
    }
  });
}

test('gating is enforced on the server: also for HEAD, unknown addresses and other methods', async () => {
  const shop = await openShop(instance, 'basico');

  for (const path of [...PATHS, '/v1/none', '/v1/orders?limit=zero'])
    errorOf(await shop.get(path), '403 plan_does_not_include_api');
  errorOf(await shop.get('/v1/orders', {}, { method: 'DELETE' }), '403 plan_does_not_include_api');
  assert.equal((await shop.get('/v1/orders', {}, { method: 'HEAD' })).status, 403);
});

test('the message of plan_does_not_include_api is in Spanish and says what to do', async () => {
  for (const [plan, name] of [
    ['demo', 'Demo'],
    ['basico', 'Básico'],
  ] as const) {
    const shop = await openShop(instance, plan);
    const { message } = errorOf(await shop.get('/v1/me'), '403 plan_does_not_include_api');
    assert.equal(
      message,
      `Tu plan ${name} no incluye la API. Para cambiar a ${plansWithApi()}, pide ayuda a quien administra este servicio de Tianguis.`,
    );
  }
});

test('the plan table: API, webhooks column and price per month', () => {
  assert.deepEqual(
    Object.values(PLANS).map(({ name, api, webhooks, pricePerMonth }) => [
      name,
      api,
      webhooks,
      pricePerMonth,
    ]),
    [
      ['Demo', false, 'none', 0],
      ['Básico', false, 'none', 499],
      ['Intermedio', true, 'read', 999],
      ['Avanzado', true, 'full', 2999],
      ['Experto', true, 'full', null],
    ],
  );
});

test('the webhooks column: read for Intermedio, full for Avanzado and Experto', async () => {
  for (const [plan, webhooks] of [
    ['intermedio', 'read'],
    ['avanzado', 'full'],
    ['experto', 'full'],
  ] as const) {
    const { body } = await (await openShop(instance, plan)).get('/v1/me');
    assert.equal(body.data.limits.webhooks, webhooks);
  }
});

test('plan identifiers are demo, basico, intermedio, avanzado and experto', async () => {
  assert.deepEqual(Object.keys(PLANS), ['demo', 'basico', 'intermedio', 'avanzado', 'experto']);
  const { body } = await (await openShop(instance, 'experto')).get('/v1/me');
  assert.equal(body.data.plan, 'experto');
});

test('Demo is free for 14 days; an expired Demo stays Demo and gets the same 403', async () => {
  const shop = await openShop(instance, 'demo');
  const { trialEndsAt } = shop.organization;
  const trial = () =>
    instance.app.database
      .within(shop.organization.id)
      .read((scope) => describeOrganization(scope, shop.organization));
  assert.equal(
    trialEndsAt?.toString(),
    instance.clock
      .now()
      .add({ hours: 14 * 24 })
      .toString(),
  );
  assert.equal(String((await trial()).trial_ends_at), String(trialEndsAt));

  instance.clock.advance({ hours: 14 * 24 });

  const after14Days = await trial();
  assert.equal(after14Days.trial_ends_at, null);
  assert.equal(after14Days.plan, 'demo');
  errorOf(await shop.get('/v1/me'), '403 plan_does_not_include_api');
});

test('a change of plan takes effect within a second', async () => {
  for (const [plan, status] of [
    ['basico', 403],
    ['avanzado', 200],
    ['demo', 403],
    ['experto', 200],
  ] as const) {
    await instance.setPlan(plan);
    await soon(async () => assert.equal((await instance.api('/v1/me')).status, status));
  }
});

test('going back to Demo does not begin a second trial', async () => {
  await instance.setPlan('demo');
  const first = await organization();
  instance.clock.advance({ hours: 24 });
  await instance.setPlan('intermedio');
  await instance.setPlan('demo');

  assert.equal(String((await organization()).trial_ends_at), String(first.trial_ends_at));
});

test('a suspended organisation gets 403 organization_suspended until it is let in again', async () => {
  const shop = await openShop(instance);
  const suspend = (at: string | null) =>
    instance.app.database.write((handle) =>
      handle.sql(
        "with changed as (update organizations set suspended_at = $2 where id = $1) select pg_notify('access', $1::text)",
        [shop.organization.id, at],
      ),
    );
  await shop.get('/v1/me');

  await suspend('2026-11-16T00:00:00Z');
  await soon(async () => void errorOf(await shop.get('/v1/me'), '403 organization_suspended'));

  await suspend(null);
  await soon(async () => assert.equal((await shop.get('/v1/me')).status, 200));
});

test('terms agreed apart replace the plan’s requests a minute and nothing else', () => {
  const agreed = { ...instance.organization, plan: 'experto', quotaOverride: 7000 } as const;

  assert.deepEqual(effectiveTerms(agreed), { ...PLANS.experto, requestsPerMinute: 7000 });
});

async function organization() {
  const [row] = await instance.app.database.write((handle) =>
    handle.sql('select * from organizations where id = $1', [instance.organization.id]),
  );
  return row as { trial_ends_at: Temporal.Instant };
}
