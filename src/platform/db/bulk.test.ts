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

test('bytes are sent as bytes, also where all are null', () => {
  const files = bulk('cfdi_upload_files', ['place', 'packed_box']);
  const add = files.statement('test.add-files', (given) => `select * from ${given}`);
  assert.match(add.text, /\$2::bytea\[\]\)/);
  const sent = (packed_box: Buffer | null) => add.values([], [{ place: 1, packed_box }])[1];
  const header = [1, 0, 17, 1, 1];
  assert.deepEqual(sent(Buffer.from('ab')), encoded([...header, 2], 'ab'));
  assert.deepEqual(sent(null), encoded([1, 1, 17, 1, 1, -1], ''));
});

/** In the protocol's binary form. */
function encoded(numbers: readonly number[], tail: string): Buffer {
  const head = Buffer.alloc(numbers.length * 4);
  for (const [place, number] of numbers.entries()) head.writeInt32BE(number, place * 4);
  return Buffer.concat([head, Buffer.from(tail)]);
}

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
