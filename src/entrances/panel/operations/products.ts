import { z } from 'zod';
import {
  findProduct,
  LONGEST_CODE,
  LONGEST_TITLE,
  recordProducts,
} from '../../../features/warehouse/index.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { isStorableText } from '../../../platform/json.ts';
import { formVersionField, refuseOldForm } from '../form-version.ts';
import { defineWrite } from '../operation.ts';
import { MEASURES, measured, measuresOf } from './measures.ts';

/** As a marketplace has it: spaces around it are a part of it. */
export const code = (description: string, example: string) =>
  z
    .string()
    .min(1, { error: 'no puede estar vacío.' })
    .max(LONGEST_CODE)
    .refine(isStorableText, 'tiene caracteres que no son texto.')
    .meta({ description, examples: [example] });
export const skuField = code('El SKU propio.', 'TAZA-AZUL');

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
