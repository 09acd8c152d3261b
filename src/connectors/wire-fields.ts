import { z } from 'zod';
import { isRawNumber, isStorableText } from '../platform/json.ts';
import { type Decimal, parseDecimal } from '../platform/money.ts';
import { type Instant, parseInstant } from '../platform/time.ts';
import { LONGEST_ID } from './bounds.ts';

/** Field schemas for foreign JSON, in which every number is still its own text. */

/**
 * An identifier, as a string or as a number too large for a float. It can be stored, and used in an
 * address.
 */
export const id = field('an identifier', (value) => {
  const text = isRawNumber(value) ? value.rawJSON : value;
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_ID) return undefined;
  return isStorableText(text) ? text : undefined;
});

/** A word or a name, as a string or as a number; null where there is none, or only blanks. */
export const text: z.ZodType<string | null> = optional(
  field<string | null>('a text', (value) => {
    const words = isRawNumber(value) ? value.rawJSON : value;
    if (typeof words !== 'string') return undefined;
    return words.trim() === '' ? null : words;
  }),
);

/** The same for fields into which plugins and people write anything: an unusable value is null. */
export const looseText: z.ZodType<string | null> = text.catch(null);

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/**
 * A currency of ISO 4217, in upper case; null for anything else, so that the account's own is used.
 */
export const currency: z.ZodType<string | null> = looseText.transform((word) => {
  const code = word?.trim().toUpperCase() ?? '';
  return CURRENCIES.has(code) ? code : null;
});

/** An exact amount, as a number or as text. */
export const amount = field<Decimal>('an amount', (value) => {
  const text = isRawNumber(value) ? value.rawJSON : value;
  return typeof text === 'string' ? (parseDecimal(text) ?? undefined) : undefined;
});

/** A whole number; fractions (goods by weight) are rounded up. */
export const whole = field<number>('a whole number', (value) => {
  const text = isRawNumber(value) ? value.rawJSON : value;
  const number =
    typeof text === 'string' && text.trim() !== '' ? Math.ceil(Number(text)) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
});

/** Ten years: more than any token lives. */
const LONGEST_LIFETIME_SECONDS = 10 * 365 * 86_400;

/**
 * The seconds that a token lives; null for anything unusable. A renewal that fails over it would
 * lose the new refresh token, and the former one is dead.
 */
export const lifetime: z.ZodType<number | null> = optional(
  whole.refine((seconds) => seconds > 0 && seconds <= LONGEST_LIFETIME_SECONDS),
).catch(null);

export const instant = field<Instant>('a time', (value) =>
  typeof value === 'string' ? (parseInstant(value) ?? undefined) : undefined,
);

/** Null where the source has null, nothing, or a text without content. */
export function optional<T>(schema: z.ZodType<T>) {
  return z.preprocess(nullIfBlank, schema.nullable().default(null));
}

function nullIfBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

function field<T = string>(what: string, read: (value: unknown) => T | undefined): z.ZodType<T> {
  return z.transform((value: unknown, context) => {
    const found = read(value);
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: `expected ${what}` });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
