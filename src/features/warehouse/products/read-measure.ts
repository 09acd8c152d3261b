import { compare, type Decimal, decimal, parseDecimal, ZERO } from '../../../platform/money.ts';

/**
 * The most that one unit weighs and that a side of it has. No carrier documents a limit; nothing
 * that travels as a parcel is heavier or longer, and more is a slip of grams or millimetres.
 */
const MOST = {
  weight: { amount: decimal('300'), text: '300 kg; revisa que no esté en gramos' },
  side: { amount: decimal('400'), text: '400 cm; revisa que no esté en milímetros' },
} as const;

export type MeasureField = 'weight_kg' | 'length_cm' | 'width_cm' | 'height_cm';

type Read =
  | { readonly ok: true; readonly measure: Decimal }
  | { readonly ok: false; readonly fault: string };

/** @returns `fault` without its subject and its full stop */
export function readMeasure(field: MeasureField, text: string): Read {
  const measure = parseDecimal(text);
  if (measure === null || compare(measure, ZERO) <= 0)
    return { ok: false, fault: 'debe ser un número mayor que 0, con punto decimal: 1.25' };
  const most = MOST[field === 'weight_kg' ? 'weight' : 'side'];
  if (compare(measure, most.amount) > 0)
    return { ok: false, fault: `puede ser de hasta ${most.text}` };
  return { ok: true, measure };
}
