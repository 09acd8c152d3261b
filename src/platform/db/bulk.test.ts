import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bulk } from './bulk.ts';

const EVENTS = bulk('order_history', ['order_id', 'at'], { place: 'int4' });
const MARK = EVENTS.statement<{ order_id: string }>(
  'test.mark',
  (given) => `select ${EVENTS.names} from ${given} where $1::uuid is not null and $2 > place`,
);

test('the arrays come behind the parameters that the text names', () => {
  assert.equal(
    MARK.text,
    'select order_id, at, place from unnest($3::text[], $4::text[]::timestamptz[], $5::text[]::int4[])' +
      ' as given (order_id, at, place) where $1::uuid is not null and $2 > place',
  );
});

test('rows become one array for each column, in the order of the columns', () => {
  const at = Temporal.Instant.from('2026-11-20T18:00:00Z');
  const rows = [
    { place: 1, at, order_id: 'A' },
    { place: 2, at: at.toString(), order_id: 'B' },
  ];
  assert.deepEqual(MARK.values([7], rows), [7, ['A', 'B'], [at, at.toString()], [1, 2]]);
});

test('rows without a column, with another type or with null where there is none do not compile', () => {
  const at = '2026-11-20T18:00:00Z';
  // @ts-expect-error a column is missing
  MARK.values([], [{ order_id: 'A', at }]);
  // @ts-expect-error a number is no text
  MARK.values([], [{ order_id: 1, at, place: 1 }]);
  // @ts-expect-error the column is not null
  MARK.values([], [{ order_id: null, at, place: 1 }]);
  // @ts-expect-error the table has no such column
  bulk('order_history', ['nothing']);
});
