import Big from 'big.js';

/** An exact decimal in plain notation, such as `"440.0"` or `"-12.35"`; never a float. */
export type Decimal = string & { readonly decimal: unique symbol };

const NUMBER = /^[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?$/;

/** As nearly all are written. */
const PLAIN = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,20})?$/;

/** Reads a decimal number's text, keeping the decimals that it has; null for anything else. */
export function parseDecimal(text: string): Decimal | null {
  if (PLAIN.test(text)) return text as Decimal;
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return null;
  const plain = trimmed
    .replace(/^\+|\.$/g, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.');
  const digits = /[eE]/.test(plain) ? new Big(plain).toFixed() : plain;
  const whole = digits.split('.')[0] ?? '';
  return whole.length <= 16 ? (digits as Decimal) : null;
}

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === null) throw new TypeError(`not a decimal: ${text}`);
  return parsed;
}

export const ZERO = decimal('0');

export function add(...amounts: Decimal[]): Decimal {
  const [first = ZERO, ...others] = amounts;
  return others.reduce((sum, amount) => sum.plus(amount), new Big(first)).toFixed() as Decimal;
}

/** The sum of those that are known; null where none is. */
export function addKnown(amounts: readonly (Decimal | null)[]): Decimal | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length > 0 ? add(...known) : null;
}

export function subtract(from: Decimal, amount: Decimal): Decimal {
  return new Big(from).minus(amount).toFixed() as Decimal;
}

export function multiply(amount: Decimal, factor: number): Decimal {
  return new Big(amount).times(factor).toFixed() as Decimal;
}

/** Of an amount and a quantity that may be a fraction; exact. */
export function multiplyExact(amount: Decimal, quantity: Decimal): Decimal {
  return new Big(amount).times(quantity).toFixed() as Decimal;
}

/** Rounded half up to so many decimals. */
export function divide(amount: Decimal, by: number, decimals: number): Decimal {
  return new Big(amount).div(by).round(decimals, Big.roundHalfUp).toFixed(decimals) as Decimal;
}

/** How many hundredths of `whole` it is, to a tenth; `whole` is not 0. */
export function perCentOf(amount: Decimal, whole: Decimal): Decimal {
  return new Big(amount).times(100).div(whole).round(1, Big.roundHalfUp).toFixed() as Decimal;
}

const PIECE_DECIMALS = 6;

/**
 * What one of several costs: exact where it ends within six decimals, with no fewer decimals than
 * the whole has.
 */
export function perPiece(whole: Decimal, pieces: Decimal | number): Decimal {
  const quotient = new Big(whole).div(pieces).round(PIECE_DECIMALS, Big.roundHalfUp).toFixed();
  return new Big(quotient).toFixed(Math.max(decimalsOf(whole), decimalsOf(quotient))) as Decimal;
}

function decimalsOf(digits: string): number {
  return digits.split('.')[1]?.length ?? 0;
}

/** Without its sign, with the decimals that it has; null stays null. */
export function absolute<T extends Decimal | null>(amount: T): T {
  return (amount?.replace(/^-/, '') ?? null) as T;
}

/**
 * Whether a part is all of a whole that is more than zero, or more than all; nothing unknown covers
 * anything.
 */
export function covers(part: Decimal | null, whole: Decimal | null): boolean {
  return part !== null && whole !== null && compare(whole, ZERO) > 0 && compare(part, whole) >= 0;
}

/** −1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): number {
  return new Big(a).cmp(b);
}

/** `$3,250.75 MXN`, for a sentence. */
export function moneyText(amount: Decimal, currency: string): string {
  const [whole = '0', cents = ''] = amount.replace('-', '').split('.');
  const sign = amount.startsWith('-') ? '−' : '';
  return `${sign}$${BigInt(whole).toLocaleString('es-MX')}.${cents.padEnd(2, '0')} ${currency}`;
}
