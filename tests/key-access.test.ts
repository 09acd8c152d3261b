import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openAccessCache } from '../src/features/keys/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { Notices } from '../src/platform/db/notices.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { query } from './support/market.ts';

// What a process remembers of keys, and when their uses are stored.

const MOST_REMEMBERED = 20_000;
const NOTICES: Notices = { isUp: () => true, on() {}, onGap() {}, close: async () => {} };
let own: TestApp;

before(async () => {
  own = await openApp(WHOLE_FILE);
});

test('uses are stored every two seconds, the latest of each key, and the rest at the end', async () => {
  const { organization, key, keyId } = await own.tenant();
  const { access, clock, flush, every, faults } = open();
  assert.equal(every, 2_000);
  const found = await access.find(key);
  assert.ok(found);
  assert.deepEqual([found.organization.id, found.key.id], [organization.id, keyId]);
  assert.equal(access.markUsed(found.key), null);
  const first = clock.millis();
  clock.advance({ seconds: 1 });
  assert.equal(access.markUsed(found.key), first, 'when it was used before');
  const second = clock.millis();
  assert.equal(await storedUse(keyId), null);
  await flush();
  assert.equal(await storedUse(keyId), second);

  await query(own, 'update api_keys set last_used_at = null where id = $1', [keyId]);
  await flush();
  assert.equal(await storedUse(keyId), null, 'what was stored is not stored again');
  access.markUsed(found.key);
  await access.close();
  assert.equal(await storedUse(keyId), second);
  assert.deepEqual(faults, []);
});

test('uses that could not be stored are stored later, and none replaces a later one', async () => {
  const { key, keyId } = await own.tenant();
  const { database } = own.app;
  let isAway = true;
  const write: typeof database.write = (work) =>
    isAway ? Promise.reject(new Error('away')) : database.write(work);
  const { access, clock, flush, faults } = open({ ...database, write });
  const found = await access.find(key);
  assert.ok(found);
  access.markUsed(found.key);
  await flush();
  assert.deepEqual([await storedUse(keyId), faults.length], [null, 1]);

  clock.advance({ seconds: 1 });
  access.markUsed(found.key);
  await flush();
  isAway = false;
  await flush();

  assert.equal(await storedUse(keyId), clock.millis());
});

test('of a key that this process has not seen used, its stored use is the one before', async () => {
  const { key, keyId } = await own.tenant();
  await query(own, "update api_keys set last_used_at = '2026-11-01T00:00:00Z' where id = $1", [
    keyId,
  ]);
  const { access } = open();
  const found = await access.find(key);
  assert.ok(found);
  assert.equal(access.markUsed(found.key), Date.parse('2026-11-01T00:00:00Z'));
});

test('uses of twenty thousand keys are remembered, and then the memory begins anew', async () => {
  const { key } = await own.tenant();
  const { access, clock } = open();
  const found = await access.find(key);
  assert.ok(found);
  for (let number = 1; number < MOST_REMEMBERED; number++)
    access.markUsed({ ...found.key, id: `${number}` });
  access.markUsed(found.key);
  assert.equal(access.markUsed(found.key), clock.millis(), 'it is the last one that has room');
  assert.equal(access.markUsed({ ...found.key, id: '1' }), null, 'the others were forgotten');
});

test('what is no key of ours is looked up nowhere, and what is unknown is null', async () => {
  const { access } = open();
  assert.equal(await access.find('no key'), null);
  assert.equal(await access.find(`${own.key.slice(0, -4)}aaaa`), null);
});

function open(database = own.app.database) {
  const clock = turnedClock(systemClock.now().toString());
  let [every, work] = [0, () => {}];
  const faults: unknown[] = [];
  const repeating = {
    ...clock,
    every(milliseconds: number, each: () => void) {
      [every, work] = [milliseconds, each];
      return () => {};
    },
  };
  const access = openAccessCache(database, NOTICES, repeating, (error) => {
    faults.push(error);
  });
  // A write of the same pool is over after those before it.
  const flush = async () => {
    work();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await own.app.database.write((handle) => handle.sql('select 1', []));
  };
  return { access, clock, flush, every, faults };
}

async function storedUse(id: string): Promise<number | null> {
  const [row] = await query(
    own,
    '(select (extract(epoch from last_used_at) * 1000)::float8 as at from api_keys where id = $1)',
    [id],
  );
  return row?.at === null ? null : Math.round(Number(row?.at));
}
