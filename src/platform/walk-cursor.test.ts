import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { cursorMaker } from './cursor.ts';
import { Failure } from './failure.ts';
import type { Instant } from './time.ts';
import { makeCursor, openCursor, type RowWalk, readPage } from './walk-cursor.ts';

interface Filters {
  readonly state: string | null;
  readonly tags: readonly string[];
  readonly since: Instant | null;
  readonly number: number | null;
}

const cursors = cursorMaker({ current: randomBytes(32), previous: null });
const WALK: RowWalk<Filters, number, number> = {
  kind: 'numbers',
  instants: { since: true },
  positionOf: (row) => row,
};
const NONE: Filters = { state: null, tags: [], since: null, number: null };
const SINCE = Temporal.Instant.from('2026-11-16T10:00:00.123456Z');
const OWN = { organizationId: 'o1' };

test('a page has as many rows as were asked for, and a cursor where there are more', async () => {
  const cases: [rows: number, limit: number, hasMore: boolean][] = [
    [0, 3, false],
    [2, 3, false],
    [3, 3, false],
    [4, 3, true],
    [9, 3, true],
    [2, 1, true],
  ];
  for (const [rows, limit, hasMore] of cases) {
    const { page } = await pageOf(rows, { ...NONE, limit, cursor: null });
    assert.deepEqual(
      [page.rows.length, page.nextCursor !== null],
      [Math.min(rows, limit), hasMore],
    );
  }
});

test('one row more than was asked for is read, from the position of the cursor, with its filters', async () => {
  const filters = { ...NONE, state: 'paid', tags: ['a'], since: SINCE, number: 7 };
  const { page, request } = await pageOf(5, { ...filters, limit: 2, cursor: null });
  assert.deepEqual(request, { ...filters, after: null, limit: 3 });
  const next = await pageOf(5, { ...NONE, limit: 2, cursor: page.nextCursor });
  assert.deepEqual(next.request, { ...filters, after: 2, limit: 3 });
  assert.equal(next.request.since?.toString(), SINCE.toString());
  const last = await pageOf(5, { ...NONE, limit: 2, cursor: next.page.nextCursor });
  assert.deepEqual([last.page.rows, last.page.nextCursor], [[5], null]);
});

test('filters may be repeated with a cursor; others are another walk', () => {
  const filters = { ...NONE, state: 'paid', tags: ['a', 'b'], since: SINCE };
  const cursor = makeCursor(WALK, 'o1', cursors, filters, [4, 'more']);
  const open = (given: Filters) => openCursor(WALK, 'o1', cursors, cursor, given);
  for (const given of [NONE, filters, { ...NONE, state: 'paid' }])
    assert.deepEqual(open(given), { filters, position: [4, 'more'] });
  for (const other of [
    { state: 'open' },
    { tags: ['a'] },
    { since: SINCE.add({ microseconds: 1 }) },
    { number: 1 },
  ])
    assert.throws(() => open({ ...NONE, ...other }), saying(/otros filtros/));
});

test('a cursor of another organisation or another list is refused', () => {
  const cursor = makeCursor(WALK, 'o1', cursors, NONE, [4]);
  assert.throws(() => openCursor(WALK, 'o2', cursors, cursor, NONE), saying(/./));
  const other = { ...WALK, kind: 'letters' };
  assert.throws(() => openCursor(other, 'o1', cursors, cursor, NONE), saying(/./));
});

test('a former cursor, with values in an order, opens as one with names', () => {
  const walk = { ...WALK, formerOrder: ['state', 'since'] as const };
  const former = cursors.make(['numbers', 'o1', ['paid', 1_763_287_200_123_456], 4]);
  const { filters, position } = openCursor<Filters, [number]>(walk, 'o1', cursors, former, NONE);
  assert.deepEqual([filters.state, filters.since?.epochMilliseconds], ['paid', 1_763_287_200_123]);
  assert.deepEqual(position, [4]);
  const repeated = { ...NONE, since: filters.since };
  assert.deepEqual(openCursor(walk, 'o1', cursors, former, repeated).filters, filters);
  const unordered = openCursor<Filters, [number]>(WALK, 'o1', cursors, former, NONE);
  assert.deepEqual(unordered.filters, NONE);
});

/** Of a list with the rows 1, 2, 3 … */
async function pageOf(rows: number, query: Filters & { limit: number; cursor: string | null }) {
  const requests: (Filters & { after: number | null; limit: number })[] = [];
  const page = await readPage(WALK, OWN, cursors, query, async (request) => {
    requests.push(request);
    const all = Array.from({ length: rows }, (_, at) => at + 1);
    return all.filter((row) => row > (request.after ?? 0)).slice(0, request.limit);
  });
  const [request] = requests;
  assert.ok(request && requests.length === 1);
  return { page, request };
}

function saying(words: RegExp) {
  return (error: unknown) =>
    error instanceof Failure && error.code === 'invalid_cursor' && words.test(error.message);
}
