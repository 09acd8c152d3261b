import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createKey, revokeKey } from '../src/features/keys/index.ts';
import { changePlan, setSuspended } from '../src/features/organizations/index.ts';
import type { Plan } from '../src/features/plans/index.ts';
import { soon } from './spec/support/soon.ts';
import { type ApiOptions, openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { beginPost } from './support/unfinished.ts';

// `/manage/v1`: requests that are made once, and what a key may not do with an endpoint.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const ENDPOINTS = '/manage/v1/webhook-endpoints';
let instance: TestApp;
let key: string;

before(async () => {
  instance = await openApp(whole, { plan: 'avanzado' });
  key = await keyWith(['webhooks:write']);
});
beforeEach(() => query(instance, 'delete from webhook_endpoints'));
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('requests with one Idempotency-Key are made once and answered alike, the secret too', async () => {
  const headers = { 'idempotency-key': 'pedido-1' };
  const body = { url: 'https://ejemplo.mx/uno' };
  const answers = await Promise.all([1, 2, 3].map(() => call('POST', '', body, { headers })));
  const [first] = answers;
  for (const answer of answers) {
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body.data, first?.body.data);
  }
  assert.equal((await call('GET')).body.data.length, 1);

  const other = await call('POST', '', { url: 'https://ejemplo.mx/dos' }, { headers });
  assert.equal(other.body.error.code, 'idempotency_key_reused');
  const theirs = await call('POST', '', body, { headers, key: await keyWith(['webhooks:write']) });
  assert.notEqual(theirs.body.data.id, first?.body.data.id);
  const [stored] = await query(
    instance,
    "select bool_or(position('whsec'::bytea in answer_box) > 0) as shown from idempotent_requests",
  );
  assert.deepEqual(stored, { shown: false });

  instance.clock.advance({ hours: 24 });
  const nextDay = await call('POST', '', body, { headers });
  assert.notEqual(nextDay.body.data.id, first?.body.data.id);
});

test('a request that was refused is made again with the same Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'pedido-2' };
  const refused = await call('POST', '', { url: 'http://ejemplo.mx' }, { headers });
  assert.equal(refused.body.error.param, 'url');
  assert.equal((await call('POST', '', { url: 'https://ejemplo.mx' }, { headers })).status, 201);
  const bad = await call('POST', '', {}, { headers: { 'idempotency-key': 'dos palabras' } });
  assert.equal(bad.body.error.param, 'Idempotency-Key');
});

test('an endpoint with another address is not trusted by the operator any more', async () => {
  const { body } = await call('POST', '', { url: 'https://ejemplo.mx' });
  await query(
    instance,
    "update webhook_endpoints set url = 'http://127.0.0.1:9/', is_operator_trusted = true",
  );
  const path = `/${body.data.id}`;
  assert.equal((await call('PATCH', path, { rate: 5 })).status, 200);
  const inward = await call('PATCH', path, { url: 'http://127.0.0.1:5432/' });
  assert.equal(inward.body.error?.param, 'url');
  await call('PATCH', path, { url: 'https://ejemplo.mx' });
  const [row] = await query(instance, 'select is_operator_trusted from webhook_endpoints');
  assert.deepEqual(row, { is_operator_trusted: false });
});

test('an endpoint that is asked for while the plan goes down is not made', async (t) => {
  t.after(() => onPlan('avanzado'));
  const { id: organizationId } = instance.organization;
  let asked: ReturnType<typeof call> | null = null;
  await instance.app.database.write(async (handle) => {
    const change = { organizationId, plan: 'intermedio', quota: null } as const;
    await changePlan(handle, instance.clock, change);
    asked = call('POST', '', { url: 'https://ejemplo.mx' });
    // It was admitted on the former plan, and waits for this transaction.
    await soon(async () => {
      const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      assert.equal((await query(instance, waiting)).length, 1);
    });
  });
  assert.equal((await (asked as ReturnType<typeof call> | null))?.status, 403);
});

test('a key that ends, or whose organisation is suspended, while the body arrives does nothing any more', async (t) => {
  const { organization } = instance;
  t.after(() => suspend(false));
  const isAnswered = (status: number, key: string) =>
    soon(async () => assert.equal((await call('GET', '', undefined, { key })).status, status));
  for (const [stop, status, code] of [
    [revoke, 401, 'api_key_revoked'],
    [() => suspend(true), 403, 'organization_suspended'],
  ] as const) {
    await suspend(false);
    const { key: stopped, id } = await newKey(['webhooks:write']);
    await isAnswered(200, stopped);
    const headers = { authorization: `Bearer ${stopped}`, 'idempotency-key': code };
    const body = JSON.stringify({ url: 'https://ejemplo.mx/tarde' });
    const begun = await beginPost(`${instance.url}${ENDPOINTS}`, headers, body);

    await stop(id);
    await isAnswered(status, stopped);
    const late = await begun.finish();

    assert.deepEqual([late.status, JSON.parse(late.text).error?.code], [status, code]);
  }
  const [made] = await query(instance, 'select count(*)::int as count from webhook_endpoints');
  assert.deepEqual(made, { count: 0 });

  async function revoke(id: string) {
    await instance.app.database.write((handle) => revokeKey(handle, 'operator', id));
  }
  async function suspend(isSuspended: boolean) {
    await instance.app.database.write((handle) =>
      setSuspended(handle, instance.clock, organization.id, isSuspended),
    );
  }
});

test('a key has a permission of managing only where the plan serves it', async (t) => {
  t.after(() => onPlan('avanzado'));
  await instance.setPlan('intermedio');
  await assert.rejects(keyWith(['webhooks:write']), { code: 'invalid_request' });
  await keyWith(['events:read']);
});

test('tests and resends are in the trail, too', async () => {
  const { body } = await call('POST', '', { url: 'https://ejemplo.mx/secreto-en-la-ruta' });
  await query(instance, 'delete from acts');
  await call('POST', `/${body.data.id}/test`);
  await call('POST', `/${body.data.id}/resend`, { since: '2026-01-01T00:00:00Z' });
  const acts = await query(instance, 'select act, done_by, label from acts order by seq');
  assert.deepEqual(acts, [
    { act: 'webhook_test_sent', done_by: 'key', label: 'ejemplo.mx' },
    { act: 'webhook_events_resent', done_by: 'key', label: 'ejemplo.mx' },
  ]);
});

test('a resend that is repeated with its Idempotency-Key gets the first answer', async () => {
  const { body } = await call('POST', '', { url: 'https://ejemplo.mx/otra' });
  await query(instance, 'delete from acts');
  const resend = (since: string) =>
    call('POST', `/${body.data.id}/resend`, { since }, { headers: { 'idempotency-key': 'r-1' } });

  const answers = [await resend('2026-01-01T00:00:00Z'), await resend('2026-01-01T00:00:00Z')];
  const other = await resend('2026-02-01T00:00:00Z');

  const acts = await query(instance, "select 1 from acts where act = 'webhook_events_resent'");
  assert.deepEqual([answers.map(({ status }) => status), acts.length], [[202, 202], 1]);
  assert.equal(other.body.error.code, 'idempotency_key_reused');
});

/** Until this process has heard of it. */
async function onPlan(plan: Plan): Promise<void> {
  await instance.setPlan(plan);
  await soon(async () => assert.equal((await instance.api('/v1/me')).body.data.plan, plan));
}

async function keyWith(scopes: readonly string[]): Promise<string> {
  return (await newKey(scopes)).key;
}

function newKey(scopes: readonly string[]) {
  return instance.app.database
    .within(instance.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'gestión', scopes }));
}

function call(method: string, path = '', body?: object, options: ApiOptions = {}) {
  const headers = { 'content-type': 'application/json', ...options.headers };
  const text = body && { body: JSON.stringify(body) };
  return instance.api(`${ENDPOINTS}${path}`, {}, { key, method, ...text, ...options, headers });
}
