import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal } from '../../../platform/money.ts';
import { type Content, type Measures, measureParcel } from './measure.ts';

const MATTRESS = measures('22.5', '190', '100', '25');
const PILLOW = measures('0.8', '12', '70', '50');

test('one article of one unit weighs and measures what it does', () => {
  assert.deepEqual(measureParcel([content('COLCHON', 1, MATTRESS)], 1), {
    ok: true,
    measures: measures('22.5', '190', '100', '25'),
  });
});

test('units lie on their largest face, one on another', () => {
  assert.deepEqual(
    measureParcel([content('COLCHON', 1, MATTRESS), content('ALMOHADA', 2, PILLOW)], 1),
    {
      ok: true,
      measures: measures('24.1', '190', '100', '49'),
    },
  );
});

test('packages share the weight evenly, never rounded down, and each is as large as the largest', () => {
  assert.deepEqual(measureParcel([content('COLCHON', 2, MATTRESS)], 2), {
    ok: true,
    measures: measures('22.500', '190', '100', '25'),
  });
  assert.deepEqual(measureParcel([content('ALMOHADA', 4, PILLOW)], 3), {
    ok: true,
    measures: measures('1.067', '70', '50', '24'),
  });
});

test('more packages than units are of one unit’s size', () => {
  assert.deepEqual(measureParcel([content('CAMA', 1, MATTRESS)], 3), {
    ok: true,
    measures: measures('7.500', '190', '100', '25'),
  });
});

for (const [what, product, codes] of [
  ['no product', null, ['missing_weight', 'missing_dimensions']],
  ['no weight', { ...MATTRESS, weightKg: null }, ['missing_weight']],
  ['a weight of zero', { ...MATTRESS, weightKg: decimal('0') }, ['missing_weight']],
  ['no length', { ...MATTRESS, lengthCm: null }, ['missing_dimensions']],
  ['no width', { ...MATTRESS, widthCm: null }, ['missing_dimensions']],
  ['no height', { ...MATTRESS, heightCm: null }, ['missing_dimensions']],
] as const)
  test(`${what}: ${codes.join(' and ')}, and which article it is`, () => {
    const contents = [content('ALMOHADA', 1, PILLOW), content('COLCHON', 1, product)];

    const obstacles = codes.map((code) => ({
      code,
      articles: [{ sku: 'COLCHON', name: 'COLCHON' }],
    }));
    assert.deepEqual(measureParcel(contents, 1), { ok: false, obstacles });
  });

test('a parcel of nothing has no weight', () => {
  const obstacles = [{ code: 'missing_weight', articles: [] }];
  assert.deepEqual(measureParcel([], 1), { ok: false, obstacles });
});

function content(name: string, units: number, product: Measures | null): Content {
  return { sku: name, name, units, product };
}

function measures(weight: string, length: string, width: string, height: string) {
  return {
    weightKg: decimal(weight),
    lengthCm: decimal(length),
    widthCm: decimal(width),
    heightCm: decimal(height),
  };
}
