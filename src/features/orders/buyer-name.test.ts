import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuyerName } from '../../connectors/contract.ts';
import { abbreviate } from './buyer-name.ts';

const NAMES: readonly [given: BuyerName | null, shown: string | null][] = [
  ['Juan Pérez García', 'Juan P.'],
  ['José Luis Martínez', 'José M.'],
  ['Ma. Guadalupe Ruiz', 'Ma. R.'],
  ['José Martínez Luna', 'José M.'],
  ['María Fernanda Peña Ortiz', 'María P.'],
  ['María de la Cruz Pérez', 'María C.'],
  ['Ana de la Rosa', 'Ana R.'],
  ['Juan P.', 'Juan P.'],
  ['Sofía', 'Sofía'],
  [{ given: 'José Luis', family: 'Martínez Soto' }, 'José M.'],
  [{ given: 'Lucía', family: 'de la Torre' }, 'Lucía T.'],
  [{ given: 'Lucía Ramírez', family: null }, 'Lucía R.'],
  [{ given: null, family: 'Ramírez Ortega' }, 'Ramírez O.'],
  [{ given: 'juan.perez@example.com', family: '' }, null],
  [{ given: 'Rosa', family: '55 1234 5678' }, 'Rosa'],
  ['juan.perez@example.com', null],
  ['Juan juan.perez@example.com', null],
  ['5512345678', null],
  ['+52 (55) 1234-5678', null],
  ['', null],
  [null, null],
];

for (const [given, shown] of NAMES)
  test(`a buyer named ${JSON.stringify(given)} is shown as ${shown}`, () => {
    assert.equal(abbreviate(given), shown);
  });
