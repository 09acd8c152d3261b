import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTable } from './table.ts';

const TABLES: readonly [what: string, text: string][] = [
  ['commas', 'A,B\n1,2\n3,4\n'],
  ['semicolons, with commas inside', 'A;B\n1;2\n3;4'],
  ['tabs and Windows line ends', 'A\tB\r\n1\t2\r\n3\t4\r\n'],
  ['a byte order mark and blank lines', '\uFEFFA,B\n\n1,2\n\n3,4\n\n'],
  ['quotes', '"A","B"\n"1","2"\n"3","4"'],
];

for (const [what, text] of TABLES)
  test(`a table with ${what} is read`, () => {
    assert.deepEqual(readTable(text), [
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ]);
  });

test('a quoted field holds separators, line breaks and quotes', () => {
  assert.deepEqual(readTable('A;B\n"x;y\nz";"dice ""hola"""\n'), [
    { A: 'x;y\nz', B: 'dice "hola"' },
  ]);
});

test('a column with a translated name is known by the code behind it', () => {
  const [row] = readTable(
    'Fecha de liquidación (DATE);"Tipo de registro (RECORD_TYPE)";(sin) código\n1;2;3',
  );
  assert.deepEqual(row, { DATE: '1', RECORD_TYPE: '2', '(sin) código': '3' });
});

test('a row that is too short has empty fields', () => {
  assert.deepEqual(readTable('A,B,C\n1\n'), [{ A: '1', B: '', C: '' }]);
});

test('a report without rows has none', () => {
  assert.deepEqual([readTable(''), readTable('A,B\n')], [[], []]);
});
