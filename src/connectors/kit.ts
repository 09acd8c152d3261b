import { z } from 'zod';
import { isRawNumber, isStorable, parseLossless } from '../platform/json.ts';
import { type Decimal, parseDecimal } from '../platform/money.ts';
import { type Instant, parseInstant } from '../platform/time.ts';
import type { Read, WireAnswer } from './contract.ts';

/** Fields of other people's JSON, in which every number still is its own text. */

/** An identifier, as a string or as a number too large for a float. */
export const id = field('an identifier', (value) => {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'string' && value !== '' ? value : undefined;
});

/** An exact amount, as a number or as text. */
export const amount = field<Decimal>('an amount', (value) => {
  const text = isRawNumber(value) ? value.rawJSON : value;
  return typeof text === 'string' ? (parseDecimal(text) ?? undefined) : undefined;
});

/** A whole number; fractions (goods by weight) are rounded up. */
export const whole = field<number>('a whole number', (value) => {
  const text = isRawNumber(value) ? value.rawJSON : value;
  const number = typeof text === 'string' && text.trim() !== '' ? Math.ceil(Number(text)) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
});

export const instant = field<Instant>('a time', (value) =>
  typeof value === 'string' ? (parseInstant(value) ?? undefined) : undefined,
);

/** What a table says of a word from outside; a word such as `constructor` is in no table of ours. */
export function inTable<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Null where the source has null, nothing, or nothing usable. */
export function optional<T>(schema: z.ZodType<T>) {
  return schema.nullable().default(null);
}

/** Reads each element by itself, so that one unreadable row never costs its page. */
export function readEach<Item>(
  rows: readonly unknown[],
  read: (row: unknown) => Item,
  nameOf = idOf,
): Read<Item>[] {
  return rows.map((row) => readOne(row, read, nameOf));
}

/** `nameOf` says which thing a row is that could not be read, so that it can be asked for again. */
export function readOne<Item>(row: unknown, read: (row: unknown) => Item, nameOf = idOf): Read<Item> {
  if (!isStorable(row))
    return {
      ok: false,
      externalId: null,
      reason: '(whole): holds characters that are no text',
      raw: rawOf(row),
    };
  try {
    return { ok: true, item: read(row) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    const reason = issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : 'unreadable';
    return { ok: false, externalId: nameOf(row), reason, raw: rawOf(row) };
  }
}

const documents = new WeakMap<object, unknown>();

/** The document in an answer, read once for all who look at it; nobody changes it. @throws SyntaxError */
export function documentOf(answer: Pick<WireAnswer, 'body'>): unknown {
  if (!documents.has(answer)) documents.set(answer, parseLossless(answer.body));
  return documents.get(answer);
}

/** The same of an answer that may not be JSON at all; null then. */
export function documentOrNull(answer: Pick<WireAnswer, 'body'>): unknown {
  try {
    return documentOf(answer);
  } catch {
    return null;
  }
}

/** A body that may not be JSON at all; null then. */
export function parseOrNull(body: string): unknown {
  try {
    return parseLossless(body);
  } catch {
    return null;
  }
}

function rawOf(row: unknown): string {
  return JSON.stringify(row) ?? 'null';
}

const Named = z.object({ id });

function idOf(row: unknown): string | null {
  const found = Named.safeParse(row);
  return found.success ? found.data.id : null;
}

function field<T = string>(what: string, read: (value: unknown) => T | undefined): z.ZodType<T> {
  return z.transform((value: unknown, context) => {
    const found = read(value);
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: `expected ${what}` });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
