import { type Decimal, decimal } from '../../platform/money.ts';

/** The taxes that marketplaces withhold of sales, as shares of the price without IVA. */
export interface WithholdingRate {
  /** The first day, `2026-01-01`. */
  readonly since: string;
  readonly isr: Decimal;
  readonly iva: Decimal;
}

const rate = (since: string, isr: string, iva: string): WithholdingRate => ({
  since,
  isr: decimal(isr),
  iva: decimal(iva),
});

/**
 * Of sellers with an RFC, by kind of person. Legal persons are withheld of since 2026. IVA is half
 * of the tax, and so 4 % in the border region.
 */
const RATES = {
  natural: [rate('2020-06-01', '0.01', '0.08'), rate('2026-01-01', '0.025', '0.08')],
  legal: [rate('2020-06-01', '0', '0'), rate('2026-01-01', '0.025', '0.08')],
} as const;
const BORDER_IVA = decimal('0.04');

/** The rates of an organisation, oldest first. */
export function ratesOf({
  person,
  hasBorderVat,
}: {
  readonly person: keyof typeof RATES;
  readonly hasBorderVat: boolean;
}): readonly WithholdingRate[] {
  return RATES[person].map((one) =>
    hasBorderVat && one.iva !== '0' ? { ...one, iva: BORDER_IVA } : one,
  );
}

/** IVA inside of a price: 16 %, or 8 % in the border region. */
export function vatOf(hasBorderVat: boolean): Decimal {
  return decimal(hasBorderVat ? '0.08' : '0.16');
}
