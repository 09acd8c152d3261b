import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FairSemaphore, openFairSemaphore } from './fair-semaphore.ts';

/** Longer than the process lives: some tests leave waiters behind. */
const PATIENCE_MS = 24 * 3_600_000;

test('the backlog of one tenant leaves permits free: another tenant does not wait', () => {
  const semaphore = open(16);

  const crowd = Array.from({ length: 40 }, () => semaphore.acquire('A'));

  assert.equal(crowd.filter((wait) => wait === null).length, 12);
  for (const newcomer of ['B', 'C', 'D']) assert.equal(semaphore.acquire(newcomer), null, newcomer);
});

test('waiters are served round-robin across tenants, and within a tenant in the order of arrival', async () => {
  const semaphore = open(1);
  assert.equal(semaphore.acquire('A'), null);
  const admitted: string[] = [];
  const ask = (tenant: string, name: string) =>
    void semaphore.acquire(tenant)?.then(() => admitted.push(name));
  for (const number of [1, 2, 3, 4]) ask('A', `A${number}`);
  for (const number of [1, 2]) ask('B', `B${number}`);
  ask('C', 'C1');

  semaphore.release('A', null);
  await settled();
  for (const tenant of ['A', 'B', 'C', 'A', 'B', 'A']) {
    semaphore.release(tenant, null);
    await settled();
  }

  assert.deepEqual(admitted, ['A1', 'B1', 'C1', 'A2', 'B2', 'A3', 'A4']);
});

test('no tenant starves: any mix of tenants comes to its end, and every permit is free again', async () => {
  const semaphore = open(16);
  let most = 0;
  let held = 0;
  const work = async (tenant: string, length: number) => {
    await semaphore.acquire(tenant);
    most = Math.max(most, ++held);
    for (let step = 0; step < length; step++) await settled();
    held--;
    semaphore.release(tenant, null);
  };

  const all = Array.from({ length: 30 }, (_, tenant) =>
    Array.from({ length: 1 + ((tenant * 7) % 11) }, (_, piece) =>
      work(`P${tenant}`, 1 + ((tenant + piece) % 5)),
    ),
  );
  await Promise.all(all.flat());

  assert.ok(most <= 16, `${most} held at once`);
  assert.equal(held, 0);
  assert.equal(
    Array.from({ length: 40 }, () => semaphore.acquire('A')).filter((wait) => wait === null).length,
    12,
  );
});

test('a waiter over its limit is refused and delays no other', async () => {
  const semaphore = openTimed(1, 1);
  semaphore.acquire('A');

  const late = assert.rejects(semaphore.acquire('B') as Promise<unknown>, /too late/);
  // The wait itself keeps no process alive.
  await Promise.all([late, sleep(20)]);

  semaphore.release('A', null);
  assert.equal(semaphore.acquire('C'), null);
});

test('a queue that would take longer than a second is not joined, and the longest backlog gives way', async () => {
  let now = 0;
  const semaphore = openTimed(1, PATIENCE_MS, () => now);
  const outcomes: string[] = [];
  const ask = (tenant: string) =>
    semaphore.acquire(tenant)?.then(
      () => outcomes.push(`${tenant} served`),
      (error) => outcomes.push(`${tenant} ${error.code}`),
    );
  ask('A');
  // Nothing is known of the queue's pace until it moved.
  for (let count = 0; count < 221; count++) ask('A');
  for (let count = 0; count < 200; count++) {
    now += 50;
    semaphore.release('A', null);
  }
  await settled();
  assert.deepEqual(new Set(outcomes.splice(0)), new Set(['A served']));

  assert.throws(() => semaphore.requireRoom('A'), { code: 'service_unavailable' });
  semaphore.requireRoom('B');
  ask('A');
  await settled();
  assert.deepEqual(outcomes.splice(0), ['A service_unavailable'], 'twenty take a second');
  ask('B');
  await settled();
  assert.deepEqual(outcomes.splice(0), ['A service_unavailable'], 'the newest of the longest');
  semaphore.release('A', null);
  semaphore.release('A', null);
  await settled();
  assert.deepEqual(outcomes, ['A served', 'B served']);
});

test('in a queue that is too long one of each tenant may still wait', async () => {
  let now = 0;
  const semaphore = openTimed(1, PATIENCE_MS, () => now);
  const refused: string[] = [];
  const ask = (tenant: string) => void semaphore.acquire(tenant)?.catch(() => refused.push(tenant));
  for (let count = 0; count < 102; count++) ask('A');
  for (let count = 0; count < 100; count++) {
    now += 1_000;
    semaphore.release('A', null);
  }
  for (const tenant of ['B', 'C', 'B', 'D']) ask(tenant);
  await settled();
  assert.deepEqual(refused, ['B'], 'the second of B');
});

test('what was in use goes from hand to hand while others wait', async () => {
  const semaphore = open(1);
  semaphore.acquire('A');
  const next = semaphore.acquire('B');

  assert.equal(semaphore.release('A', 'hammer'), true);
  assert.equal(await next, 'hammer');
  assert.equal(semaphore.release('B', 'hammer'), false, 'no reader waits');
});

test('a caller that left gives the turn to the next', async () => {
  const semaphore = open(1);
  semaphore.acquire('A');
  const gone = AbortSignal.abort(new Error('the caller left'));
  const first = semaphore.acquire('B', gone);
  const second = semaphore.acquire('B');

  semaphore.release('A', null);

  await assert.rejects(first as Promise<unknown>, /the caller left/);
  await second;
});

function open(slots: number): FairSemaphore<string> {
  return openTimed(slots, PATIENCE_MS);
}

function openTimed(slots: number, timeoutMs: number, now = () => 0): FairSemaphore<string> {
  const refusal = () => new Error('too late');
  return openFairSemaphore<string>(slots, { longestMs: 1_000, timeoutMs, refusal, now });
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
