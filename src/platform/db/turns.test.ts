import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTurns, type Turns } from './turns.ts';

const PATIENCE_MS = 60_000;

test('a crowd of one party leaves places free: a newcomer does not wait', () => {
  const turns = open(16);

  const crowd = Array.from({ length: 40 }, () => turns.take('A'));

  assert.equal(crowd.filter((wait) => wait === null).length, 12);
  for (const newcomer of ['B', 'C', 'D']) assert.equal(turns.take(newcomer), null, newcomer);
});

test('those who wait are admitted in turn, party by party, and within a party in the order of arrival', async () => {
  const turns = open(1);
  assert.equal(turns.take('A'), null);
  const admitted: string[] = [];
  const ask = (party: string, name: string) =>
    void turns.take(party)?.then(() => admitted.push(name));
  for (const number of [1, 2, 3, 4]) ask('A', `A${number}`);
  for (const number of [1, 2]) ask('B', `B${number}`);
  ask('C', 'C1');

  turns.leave('A', null);
  await settled();
  for (const party of ['A', 'B', 'C', 'A', 'B', 'A']) {
    turns.leave(party, null);
    await settled();
  }

  assert.deepEqual(admitted, ['A1', 'B1', 'C1', 'A2', 'B2', 'A3', 'A4']);
});

test('nobody starves: any mix of parties comes to its end, and every place is free again', async () => {
  const turns = open(16);
  let most = 0;
  let held = 0;
  const work = async (party: string, length: number) => {
    await turns.take(party);
    most = Math.max(most, ++held);
    for (let step = 0; step < length; step++) await settled();
    held--;
    turns.leave(party, null);
  };

  const all = Array.from({ length: 30 }, (_, party) =>
    Array.from({ length: 1 + ((party * 7) % 11) }, (_, piece) =>
      work(`P${party}`, 1 + ((party + piece) % 5)),
    ),
  );
  await Promise.all(all.flat());

  assert.ok(most <= 16, `${most} held at once`);
  assert.equal(held, 0);
  assert.equal(
    Array.from({ length: 40 }, () => turns.take('A')).filter((wait) => wait === null).length,
    12,
  );
});

test('who has waited too long is refused and holds nobody up', async () => {
  const turns = openTurns<string>(1, 1, () => new Error('too late'));
  turns.take('A');

  const late = assert.rejects(turns.take('B') as Promise<unknown>, /too late/);
  // The wait itself keeps no process alive.
  await Promise.all([late, sleep(20)]);

  turns.leave('A', null);
  assert.equal(turns.take('C'), null);
});

test('what was in use goes from hand to hand while others wait', async () => {
  const turns = open(1);
  turns.take('A');
  const next = turns.take('B');

  assert.equal(turns.leave('A', 'hammer'), true);
  assert.equal(await next, 'hammer');
  assert.equal(turns.leave('B', 'hammer'), false, 'nobody waits');
});

test('who went away gives the turn to the next', async () => {
  const turns = open(1);
  turns.take('A');
  const gone = AbortSignal.abort(new Error('the caller left'));
  const first = turns.take('B', gone);
  const second = turns.take('B');

  turns.leave('A', null);

  await assert.rejects(first as Promise<unknown>, /the caller left/);
  await second;
});

function open(places: number): Turns<string> {
  return openTurns<string>(places, PATIENCE_MS, () => new Error('too late'));
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
