/** How amounts and times are written. */
import { decimal } from '../order.ts';

/** Of cents. */
export function money(sum: number) {
  const shown = { amount: decimal(sum), currencyCode: 'MXN' };
  return { shopMoney: shown, presentmentMoney: shown };
}

export function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
