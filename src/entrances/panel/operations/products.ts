import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  findProduct,
  LONGEST_CODE,
  LONGEST_TITLE,
  type MeasureField,
  MOST_UNITS,
  type Product,
  readMeasure,
  recordEquivalences,
  recordProducts,
  removeEquivalence,
} from '../../../features/warehouse/index.ts';
import { invalid } from '../../../platform/failure.ts';
import { count, inputOf, orNull, wording } from '../../../platform/input-fields.ts';
import { isStorableText } from '../../../platform/json.ts';
import type { Decimal } from '../../../platform/money.ts';
import { formVersionField, refuseOldForm } from '../form-version.ts';
import { defineWrite, toAmount } from '../operation.ts';

const LONGEST_MEASURE = 20;

/** As a marketplace has it: spaces around it are a part of it. */
const code = (description: string, example: string) =>
  z
    .string()
    .min(1, { error: 'no puede estar vacío.' })
    .max(LONGEST_CODE)
    .refine(isStorableText, 'tiene caracteres que no son texto.')
    .meta({ description, examples: [example] });
export const skuField = code('El SKU propio.', 'TAZA-AZUL');

const measure = (description: string, example: string) =>
  orNull(
    z
      .string()
      .max(LONGEST_MEASURE)
      .meta({ description, examples: [example] }),
  );
const MEASURES = {
  weight_kg: measure('El peso en kilogramos.', '0.45'),
  length_cm: measure('El largo en centímetros.', '12'),
  width_cm: measure('El ancho en centímetros.', '12'),
  height_cm: measure('El alto en centímetros.', '10'),
};

/** Sets what a product weighs and measures; a measure left out is unknown from then on. */
export const changeProductOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({
    sku: skuField,
    title: wording('Cómo se llama.', 'Taza azul', LONGEST_TITLE),
    ...MEASURES,
    version: formVersionField,
  }),
  /** False = it was known so already. */
  output: z.object({ changed: z.boolean() }),
  async run({ database }, { sku, title, version, ...typed }) {
    const product = {
      sku,
      title: title?.trim() || sku,
      weightKg: measured('weight_kg', 'El peso', typed.weightKg),
      lengthCm: measured('length_cm', 'El largo', typed.lengthCm),
      widthCm: measured('width_cm', 'El ancho', typed.widthCm),
      heightCm: measured('height_cm', 'El alto', typed.heightCm),
    };
    const changed = await database.write(async (scope) => {
      await refuseOldForm(scope, version, async () => measuresOf(await findProduct(scope, sku)));
      return recordProducts(scope, [product]);
    });
    return { changed: changed > 0 };
  },
});

/** As the panel shows them. */
export function measuresOf(product: Product | null) {
  return (
    product && {
      weight_kg: toAmount(product.weightKg),
      length_cm: toAmount(product.lengthCm),
      width_cm: toAmount(product.widthCm),
      height_cm: toAmount(product.heightCm),
    }
  );
}

const EQUIVALENCE = {
  marketplace: z
    .enum(MARKETPLACES)
    .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
  account_id: wording('La cuenta; sin ella, todas.', '468424241'),
  code: code('El SKU o la publicación en el marketplace.', 'MLM1234567890'),
  sku: skuField,
};

/** Says which product of ours, and how many of it, a marketplace's code is. */
export const addEquivalenceOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({
    ...EQUIVALENCE,
    units: count(1, MOST_UNITS, 'Cuántas piezas del SKU propio.', 1).default(1),
  }),
  output: z.object({ changed: z.boolean() }),
  async run({ database }, equivalence) {
    const changed = await database.write((scope) => recordEquivalences(scope, [equivalence]));
    return { changed: changed > 0 };
  },
});

export const removeEquivalenceOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf(EQUIVALENCE),
  /** False = there was none. */
  output: z.object({ removed: z.boolean() }),
  run: async ({ database }, equivalence) => ({
    removed: await database.write((scope) => removeEquivalence(scope, equivalence)),
  }),
});

/** @throws Failure invalid_request that names the field */
function measured(field: MeasureField, name: string, typed: string | null): Decimal | null {
  if (typed === null || typed.trim() === '') return null;
  const read = readMeasure(field, typed);
  if (read.ok) return read.measure;
  throw invalid(field, `${name} ${read.fault}.`);
}
