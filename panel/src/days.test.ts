import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayFault, readDay, steppedDay, typedDay } from './days.ts';

const ANY = { from: undefined, to: undefined, isRequired: false };

test('a day is read as it is written in Mexico, or as an address has it', () => {
  for (const text of [
    '5/3/2026',
    '05/03/2026',
    ' 05-03-2026 ',
    '5.3.2026',
    '05032026',
    '2026-03-05',
  ])
    assert.equal(readDay(text), '2026-03-05', text);
  for (const text of [
    ...['', '31/02/2026', '13/25/2026', '5/3/26', '5032026', '31022026', 'ayer'],
    ...['31/12/9999', '31/12/1999', '01/01/0999', '0000-01-01', '2101-01-01', '2026-13-40'],
  ])
    assert.equal(readDay(text), undefined, text);
  for (const edge of ['2000-01-01', '2100-12-31']) assert.equal(readDay(edge), edge);
  assert.equal(typedDay('2026-03-05'), '05/03/2026');
  assert.equal(typedDay(undefined), '');
  assert.equal(steppedDay('2026-02-28', 1), '2026-03-01');
  assert.equal(steppedDay('2026-01-01', -1), '2025-12-31');
});

test('what is no day, or outside of the bounds, has its fault', () => {
  const fault = (text: string, bounds = {}) => dayFault(text, readDay(text), { ...ANY, ...bounds });
  for (const text of ['31/02/2026', '31-04-2026', '29022026'])
    assert.equal(fault(text), 'Ese día no existe en el calendario.');
  for (const text of ['13/25/2026', '31/12/9999', '5/3/26', 'ayer'])
    assert.equal(fault(text), 'Escribe el día así: 20/11/2026.');
  assert.equal(fault(''), null);
  assert.equal(fault('', { isRequired: true }), 'Escribe un día.');
  const bounds = { from: '2026-03-01', to: '2026-03-31' };
  assert.equal(fault('28/02/2026', bounds), 'Debe ser el 01/03/2026 o después.');
  assert.equal(fault('01/04/2026', bounds), 'Debe ser el 31/03/2026 o antes.');
  assert.equal(fault('31/03/2026', bounds), null);
});
