import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainName } from './plain-name.ts';

test('a name is plain unless a mail program would make a link of it', () => {
  const plain = [
    'Papelería Sol, S.A. de C.V.',
    'Comercial del Norte S. de R.L. de C.V.',
    'Dra. Ana Robles',
    'Refacciones 4.5',
    'J. R. Ñandú',
    'Abarrotes Ma. Elena',
  ];
  const linked = [
    'entra en https://tianguis-seguro.example/entrar',
    'WWW.premios',
    'premios.example',
    'premios。example',
    'premios．example',
    'escribe a hola@premios.mx',
    'ftp://x',
  ];

  assert.deepEqual(
    [...plain, ...linked].map((name) => [name, isPlainName(name)]),
    [...plain.map((name) => [name, true]), ...linked.map((name) => [name, false])],
  );
});
