import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Notices } from '../src/platform/db/notices.ts';
import { openStampCache } from '../src/platform/db/stamp-cache.ts';
import { Overload } from '../src/platform/failure.ts';
import type { Instant } from '../src/platform/time.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';

// What a process remembers of the delta clocks: never ahead of the database, and not for long.

const [ONE, OTHER] = ['2026-11-25T10:00:00.000001Z', '2026-11-25T10:00:00.000002Z'];
const MOST_ENTRIES = 20_000;
let own: TestApp;
let id: string;

before(async () => {
  own = await openApp(WHOLE_FILE);
  id = own.organization.id;
});

test('a stamp that was read is remembered for a second and a half', async () => {
  const { cache, stored, clock, reads } = openCache();
  assert.equal(await cache.get(id), null, 'the clock of the organisation has not begun');
  stored.set(id, at(ONE));
  assert.equal(await cache.get(id), ONE);
  stored.set(id, at(OTHER));
  clock.advance({ milliseconds: 1_499 });
  assert.equal(await cache.get(id), ONE);
  assert.equal(reads(), 2);
  clock.advance({ milliseconds: 1 });
  assert.equal(await cache.get(id), OTHER);
  clock.advance({ milliseconds: 1_499 });
  stored.delete(id);
  assert.equal(await cache.get(id), OTHER, 'its time begins with the last reading');
});

test('a caller that asks while a stamp is read gets its answer, whose time begins with the reading', async () => {
  const { cache, stored, clock, whileReading, reads } = openCache();
  stored.set(id, at(ONE));
  // As where all readers wait in line for longer than a stamp is remembered.
  const asked = [cache.get(id), cache.get(id), cache.get(id)];
  clock.advance({ milliseconds: 2_000 });
  assert.deepEqual(await Promise.all(asked), [ONE, ONE, ONE]);
  whileReading(() => assert.fail('it is read again'));
  assert.equal(await cache.get(id), ONE);
  assert.equal(reads(), 1);
});

test('a request that would share a reading is refused at once when the line of readers is too long', async () => {
  const { cache, stored, crowd } = openCache();
  stored.set(id, at(ONE));
  const first = cache.get(id);
  crowd();
  await assert.rejects(cache.get(id), { code: 'service_unavailable' });
  assert.equal(await first, ONE);
  assert.equal(await cache.get(id), ONE, 'from memory');
});

test('a later notice counts at once and an older one does not, several in one payload', async () => {
  const { cache, stored, say, clock, reads } = openCache();
  const second = crypto.randomUUID();
  say(`${id} ${ONE}\n${second} ${OTHER}`);
  assert.deepEqual([await cache.get(id), await cache.get(second)], [ONE, OTHER]);
  say(`${id} ${OTHER}`);
  say(`${id} ${ONE}`);
  assert.equal(await cache.get(id), OTHER);
  assert.equal(reads(), 0);
  // A notice of the same stamp proves no more than the former one.
  clock.advance({ milliseconds: 1_000 });
  say(`${id} ${OTHER}`);
  clock.advance({ milliseconds: 500 });
  stored.set(id, at(OTHER));
  assert.equal(await cache.get(id), OTHER);
  assert.equal(reads(), 1);
});

test('a notice that comes while a stamp is read stays, as it is later', async () => {
  const { cache, stored, say, whileReading, keeps } = openCache();
  stored.set(id, at(ONE));
  whileReading(() => say(`${id} ${OTHER}`));
  assert.equal(await cache.get(id), OTHER);
  whileReading(() => {});
  assert.equal(await cache.get(id), OTHER);
  assert.equal(keeps(), 1);
});

test('a stamp that was read is not kept again where a notice has said the same', async () => {
  const { cache, stored, say, whileReading, keeps } = openCache();
  stored.set(id, at(ONE));
  whileReading(() => say(`${id} ${ONE}`));
  assert.equal(await cache.get(id), ONE);
  assert.equal(keeps(), 1);
});

test('a commit of this process is heard without its notice coming back', async () => {
  const { cache, reads } = openCache({ isReal: true });
  await own.record([anOrder({ id: 'RELOJ-1' })]);
  const { body } = await own.api('/v1/orders', { limit: 1 });
  assert.equal(await cache.get(id), at(body.data[0].last_updated).toString());
  assert.equal(reads(), 0);
});

test('a gap, or a notice that cannot be read, empties the memory; of another clock one says nothing', async () => {
  const { cache, say, gap, stored, reads } = openCache();
  stored.set(id, at(OTHER));
  for (const empty of [gap, () => say('something else')]) {
    say(`${id} ${ONE}`);
    const before = reads();
    assert.equal(await cache.get(id), ONE);
    empty();
    assert.equal(await cache.get(id), OTHER);
    assert.equal(reads(), before + 1);
    gap();
  }
  say(`${id} ${ONE}`);
  say(`${id}/event ${OTHER}`);
  assert.equal(await cache.get(id), ONE);
});

test('while notices may be lost nothing is answered from memory, and nothing is remembered', async () => {
  const { cache, stored, say, down, up, whileReading, reads } = openCache();
  say(`${id} ${ONE}`);
  down();
  assert.equal(await cache.get(id), null);
  up();
  assert.equal(await cache.get(id), ONE);
  const fresh = openCache();
  fresh.stored.set(id, at(OTHER));
  fresh.whileReading(fresh.down);
  assert.equal(await fresh.cache.get(id), OTHER, 'what was read is true');
  fresh.up();
  fresh.whileReading(() => {});
  await fresh.cache.get(id);
  assert.equal(fresh.reads(), 2, 'but was not remembered');
  assert.equal(reads(), 0);
  whileReading(() => {});
  stored.clear();
});

test('the memory has an end: with the twenty thousandth organisation it begins anew', async () => {
  const { cache, say, reads } = openCache();
  say(`${id} ${ONE}`);
  const others = Array.from({ length: MOST_ENTRIES - 1 }, () => `${crypto.randomUUID()} ${ONE}`);
  say(others.join('\n'));
  assert.equal(await cache.get(id), ONE);
  assert.equal(reads(), 0);
  say(`${crypto.randomUUID()} ${ONE}`);
  await cache.get(id);
  assert.equal(reads(), 1);
});

function openCache({ isReal = false } = {}) {
  const clock = turnedClock();
  const stored = new Map<string, Instant>();
  const state = { reads: 0, keeps: 0, isUp: true, isCrowded: false, meanwhile: () => {} };
  const heard: { line?: (payload: string) => void; gap?: () => void } = {};
  const notices: Notices = {
    isUp: () => state.isUp,
    on(channel, listener) {
      if (channel === 'clock') heard.line = listener;
    },
    onGap(forget) {
      heard.gap = forget;
    },
    close: async () => {},
  };
  const { database } = own.app;
  const onNotice = isReal ? database.onNotice : () => {};
  const within = (organizationId: string) => ({
    ...database.within(organizationId),
    requireRoom() {
      if (state.isCrowded) throw new Overload(1);
    },
  });
  const cache = openStampCache({ within, onNotice }, notices, clock, {
    async read({ organizationId }) {
      state.reads++;
      state.meanwhile();
      return stored.get(organizationId) ?? null;
    },
    keep(stamp) {
      state.keeps++;
      return stamp.toString();
    },
  });
  return {
    ...{ cache, clock, stored },
    reads: () => state.reads,
    keeps: () => state.keeps,
    say: (payload: string) => heard.line?.(payload),
    gap: () => heard.gap?.(),
    up() {
      state.isUp = true;
    },
    down() {
      state.isUp = false;
    },
    crowd() {
      state.isCrowded = true;
    },
    whileReading(work: () => void) {
      state.meanwhile = work;
    },
  };
}

function at(text: string): Instant {
  return Temporal.Instant.from(text);
}
