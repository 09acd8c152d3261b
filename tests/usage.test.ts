import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { changePlan } from '../src/features/organizations/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { type Agent, anAgent } from './support/agents.ts';
import type { TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { ask } from './support/mcp.ts';
import { openPanel } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';

// The quota as the panel shows it: what is used now, and by whom in the last hour and day.

const QUOTA = 500;
/** Counts are written every two seconds. */
const WRITTEN_WITHIN_MS = 20_000;

/** Time stands still, and what is done again and again is done. */
const clock = { ...turnedClock(systemClock.now().toString()), every: systemClock.every };
const { instance, folder } = await openMailingInstance(WHOLE_FILE, clock);
let owner: Known;
let theirs: TestApp;
const panel = openPanel(() => theirs.organization.id);

before(async () => {
  ({ owner } = await openTeam(instance, folder));
});

/** An organisation with a key, whose owner signed in. */
async function aShop(): Promise<void> {
  theirs = await instance.another('experto');
  await instance.app.database.write(async (handle) => {
    const { organization } = theirs;
    await changePlan(handle, clock, {
      organizationId: organization.id,
      plan: 'experto',
      quota: QUOTA,
    });
    await handle.sql(
      'insert into members (organization_id, person_id, role, created_at) values ($1, $2, $3, $4)',
      [organization.id, owner.personId, 'owner', clock.now().toString()],
    );
  });
}

test('the meter has the numbers of the headers, and reading it spends nothing', async () => {
  await aShop();
  const meter = () => panel.read(owner, 'usage.meter', {});
  assert.deepEqual(await meter(), { limit: QUOTA, used: 0, seconds_left: null });
  await theirs.api('/v1/me');
  clock.advance({ seconds: 20 });
  const { headers } = await theirs.api('/v1/me');
  for (let look = 0; look < 2; look++)
    assert.deepEqual(await meter(), { limit: QUOTA, used: 2, seconds_left: 40 });
  assert.equal(headers.get('x-ratelimit-remaining'), String(QUOTA - 2));
  clock.advance({ seconds: 41 });
  assert.deepEqual(await meter(), { limit: QUOTA, used: 0, seconds_left: null });
});

test('requests are shown by minute and hour, by key and agent, and those answered with 429 apart', {
  tags: ['slow'],
}, async () => {
  await aShop();
  await theirs.api('/v1/me');
  await theirs.api('/v1/nothing');
  clock.advance({ hours: 1 });
  const agent = await anAgent(theirs);
  await listTools(agent);
  await spendAll(QUOTA - 1);
  assert.equal((await theirs.api('/v1/me')).status, 429);
  await listTools(agent);

  const hour = await usageWith({ span: 'hour' }, QUOTA + 2);
  assert.equal(hour.slots.length, 60);
  const last = hour.slots.at(-1);
  assert.deepEqual([last.admitted, last.refused], [QUOTA, 2]);
  assert.deepEqual(hour.peak, { at: last.at, admitted: QUOTA });
  assert.deepEqual(
    hour.callers.map(({ kind, name, admitted, refused }: Caller) => [
      kind,
      name,
      admitted,
      refused,
    ]),
    [
      ['key', 'prueba', QUOTA - 1, 1],
      ['agent', 'Agente de prueba', 1, 1],
    ],
  );
  const day = await usageWith({ span: 'day' }, QUOTA + 4);
  assert.equal(day.slots.length, 24);
  assert.deepEqual(
    day.slots.slice(-2).map(({ admitted }: Caller) => admitted),
    [2, QUOTA],
  );
  const former = await panel.read(owner, 'usage.read', {
    span: 'hour',
    from: day.slots.at(-2).at,
  });
  assert.deepEqual([former.slots.length, sumOf(former.slots)], [60, 2], 'an hour by its minutes');
  assert.deepEqual(
    former.callers.map(({ admitted }: Caller) => admitted),
    [2],
  );
  const present = await panel.read(owner, 'usage.read', {
    span: 'hour',
    from: clock.now().subtract({ minutes: 9 }).toString(),
  });
  assert.equal(present.slots.length, 10, 'no minute that has not begun');
  const own = await panel.read(owner, 'usage.read', { span: 'day', caller_id: agent.grantId });
  assert.equal(sumOf(own.slots), 2, 'of the agent alone');
  assert.equal(own.callers.length, 2, 'all can still be chosen');
});

test('a refusal for another reason is no 429, and no other organisation sees it', {
  tags: ['slow'],
}, async () => {
  await aShop();
  await theirs.setPlan('basico');
  assert.equal((await theirs.api('/v1/me')).status, 403);
  await theirs.setPlan('avanzado');
  const { slots } = await usageWith({ span: 'hour' }, 1);
  const last = slots.at(-1);
  assert.deepEqual([last.admitted, last.refused], [1, 0]);
  await aShop();
  assert.deepEqual((await panel.read(owner, 'usage.read', {})).callers, []);
});

interface Caller {
  readonly kind: string;
  readonly name: string | null;
  readonly admitted: number;
  readonly refused: number;
}

function listTools(agent: Agent) {
  return ask(theirs, agent, 'tools/list');
}

async function spendAll(count: number): Promise<void> {
  for (let request = 0; request < count; request++) await theirs.api('/v1/me');
}

/** The usage as soon as so many requests are written. */
async function usageWith(input: Record<string, string>, requests: number) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  let usage: any;
  await soon(async () => {
    usage = await panel.read(owner, 'usage.read', input);
    assert.equal(sumOf(usage.slots), requests);
  }, WRITTEN_WITHIN_MS);
  return usage;
}

function sumOf(slots: readonly Caller[]): number {
  return slots.reduce((sum, { admitted, refused }) => sum + admitted + refused, 0);
}
