import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Goods, readGoods, tableOfGoods, UnreadableGoods } from './read-goods.ts';

const HEADER = 'sku,title,weight_kg,length_cm,width_cm,height_cm,marketplace,account_id,code,units';

test('a line without a marketplace is a product, with the decimals that it was given', () => {
  const goods = readGoods(
    '{"sku":"COLCHON-IND","title":"Colchón individual","weight_kg":22.50,"length_cm":190,"width_cm":100,"height_cm":"25"}',
  );

  assert.deepEqual(goods, {
    kind: 'product',
    product: {
      sku: 'COLCHON-IND',
      title: 'Colchón individual',
      weightKg: '22.50',
      lengthCm: '190',
      widthCm: '100',
      heightCm: '25',
    },
  });
});

test('what is not known yet may be left out', () => {
  const { product } = readGoods('{"sku":"A","weight_kg":null}') as Extract<
    Goods,
    { kind: 'product' }
  >;

  assert.deepEqual(product, {
    sku: 'A',
    title: 'A',
    weightKg: null,
    lengthCm: null,
    widthCm: null,
    heightCm: null,
  });
});

test('a line with a marketplace says what its code is of ours', () => {
  const goods = readGoods(
    '{"marketplace":"mercado_libre","code":"MLM1","sku":"ALMOHADA","units":2}',
  );

  assert.deepEqual(goods, {
    kind: 'equivalence',
    equivalence: {
      marketplace: 'mercado_libre',
      accountId: null,
      code: 'MLM1',
      sku: 'ALMOHADA',
      units: 2,
    },
  });
});

test('a table has products and equivalences in one file; empty cells are left out', () => {
  const read = tableOfGoods(HEADER);

  assert.deepEqual(
    [read('A,"Colchón ""nube"", 25 cm",22.5,190,100,25,,,,'), read('A,,,,,,amazon,A1,B00,')],
    [
      {
        kind: 'product',
        product: {
          sku: 'A',
          title: 'Colchón "nube", 25 cm',
          weightKg: '22.5',
          lengthCm: '190',
          widthCm: '100',
          heightCm: '25',
        },
      },
      {
        kind: 'equivalence',
        equivalence: { marketplace: 'amazon', accountId: 'A1', code: 'B00', sku: 'A', units: 1 },
      },
    ],
  );
});

test('a table of a Spanish spreadsheet is cut at semicolons', () => {
  const { product } = tableOfGoods('SKU;weight_kg')('A;22.5\r') as Extract<
    Goods,
    { kind: 'product' }
  >;

  assert.deepEqual([product.sku, product.weightKg], ['A', '22.5']);
});

for (const [what, line, says] of [
  ['no JSON', '{', /no es JSON/],
  ['no object', '[]', /objeto JSON/],
  ['no SKU', '{"title":"x"}', /sku falta/],
  ['a weight of zero', '{"sku":"A","weight_kg":0}', /weight_kg debe ser un número mayor que 0/],
  ['a weight in grams', '{"sku":"A","weight_kg":1200}', /weight_kg puede ser de hasta 300 kg/],
  ['a side in millimetres', '{"sku":"A","height_cm":400.5}', /height_cm puede ser de hasta 400 cm/],
  ['a weight in words', '{"sku":"A","weight_kg":"mucho"}', /weight_kg debe ser un número/],
  ['an unknown field', '{"sku":"A","peso":1}', /no conoce: peso/],
  [
    'an unknown marketplace',
    '{"sku":"A","marketplace":"ebay","code":"1"}',
    /marketplace debe ser uno de/,
  ],
  [
    'no units',
    '{"sku":"A","marketplace":"amazon","code":"1","units":0}',
    /units debe ser un entero/,
  ],
  ['an equivalence without a code', '{"sku":"A","marketplace":"amazon"}', /code falta/],
] as const)
  test(`a line is refused: ${what}`, () => {
    assert.throws(
      () => readGoods(line),
      (error) => error instanceof UnreadableGoods && says.test(error.message),
    );
  });

for (const [what, header, line, says] of [
  ['an unknown column', 'sku,peso', 'A,1', /No conozco: peso/],
  ['no column of SKUs', 'title', 'A', /columnas/],
  ['more cells than columns', 'sku', 'A,B', /más columnas/],
  ['quotes that stay open', 'sku,title', 'A,"B', /comillas/],
] as const)
  test(`a table is refused: ${what}`, () => {
    assert.throws(
      () => tableOfGoods(header)(line),
      (error) => error instanceof UnreadableGoods && says.test(error.message),
    );
  });
