import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ensureClock,
  holdClock,
  readClock,
  takeClock,
} from '../src/features/orders/store-clock.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { epochMicros } from '../src/platform/time.ts';
import { openApp } from './support/app.ts';
import { freshDatabase, someoneWaits } from './support/server.ts';

// The row of the delta clock: stamps that only grow, each once, and a lock that writers wait for.

test('stamps begin at the present, follow each other, and leave room for every change', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const { within } = own.app.database;
  const organization = within(own.organization.id);
  assert.equal(await organization.read(readClock), null);
  const take = async (count: number) =>
    epochMicros(await organization.write((scope) => takeClock(scope, count)));
  const now = epochMicros(own.clock.now());
  assert.deepEqual([await take(3), await take(1), await take(2)], [now, now + 3, now + 4]);
  assert.equal(epochMicros((await organization.read(readClock)) as Temporal.Instant), now + 5);
  own.clock.advance({ seconds: 1 });
  assert.equal(await take(2), now + 1_000_000);
  assert.equal(await take(1), now + 1_000_002);
});

for (const [name, hold, begun] of [
  ['ensures the clock before the first order', ensureClock, false],
  ['ensures it later', ensureClock, true],
  ['holds it', holdClock, true],
] as const)
  test(`a transaction that ${name} is waited for, and moves no stamp`, async (t) => {
    const own = await openApp(t, { database: await freshDatabase() });
    const { database } = own.app;
    const organization = database.within(own.organization.id);
    const take = (scope: WriteScope) => takeClock(scope, 1);
    if (begun) await organization.write(take);
    const before = await organization.read(readClock);
    const held = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const holding = organization.write(async (scope) => {
      await hold(scope);
      held.resolve();
      await goOn.promise;
    });
    await held.promise;
    const taking = organization.write(take);
    await someoneWaits(database).finally(() => goOn.resolve());
    await holding;
    const stamp = epochMicros(await taking);
    const least = before ? epochMicros(before) : epochMicros(own.clock.now());
    assert.equal(stamp, least + 1);
  });
