import { z } from 'zod';
import { type MeasureField, type Product, readMeasure } from '../../../features/warehouse/index.ts';
import { invalid } from '../../../platform/failure.ts';
import { orNull } from '../../../platform/input-fields.ts';
import type { Decimal } from '../../../platform/money.ts';
import { toAmount } from '../operation.ts';

const LONGEST_MEASURE = 20;

const measure = (description: string, example: string) =>
  orNull(
    z
      .string()
      .max(LONGEST_MEASURE)
      .meta({ description, examples: [example] }),
  );
/** The inputs of a product's weight and dimensions; what is left out is unknown. */
export const MEASURES = {
  weight_kg: measure('El peso en kilogramos.', '0.45'),
  length_cm: measure('El largo en centímetros.', '12'),
  width_cm: measure('El ancho en centímetros.', '12'),
  height_cm: measure('El alto en centímetros.', '10'),
};

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

/** @throws Failure invalid_request that names the field */
export function measured(field: MeasureField, name: string, typed: string | null): Decimal | null {
  if (typed === null || typed.trim() === '') return null;
  const read = readMeasure(field, typed);
  if (read.ok) return read.measure;
  throw invalid(field, `${name} ${read.fault}.`);
}
