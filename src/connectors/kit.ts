import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { isRawNumber, isStorableText, parseLossless } from '../platform/json.ts';
import { type Decimal, parseDecimal } from '../platform/money.ts';
import { withoutMark } from '../platform/text.ts';
import { type Instant, parseInstant } from '../platform/time.ts';
import { aside, LONGEST_ID, rawOf, tooDeep } from './bounds.ts';
import type { Read, WireAnswer } from './contract.ts';
import { UpstreamError, type UpstreamKind } from './upstream-error.ts';

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

const unknownWords = new AsyncLocalStorage<Set<string>>();

/**
 * The table's value of the first of these foreign words that it has; a word such as `constructor`
 * is in no table of ours.
 */
export function inTable<T>(
  table: Readonly<Record<string, T>>,
  ...words: readonly string[]
): T | undefined {
  for (const word of words) if (Object.hasOwn(table, word)) return table[word];
  unknownWords.getStore()?.add(words[0] ?? '');
  return undefined;
}

/** Runs `work`, and collects the words that it found in no table. */
export function watchingTables<T>(words: Set<string>, work: () => Promise<T>): Promise<T> {
  return unknownWords.run(words, work);
}

/** Null where the source has null, nothing, or a text without content. */
export function optional<T>(schema: z.ZodType<T>) {
  return z.preprocess(nullIfBlank, schema.nullable().default(null));
}

function nullIfBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

/** Reads each element by itself, so that one unreadable row never costs its page. */
export function readEach<Item>(
  rows: readonly unknown[],
  read: (row: unknown) => Item,
  nameOf = idOf,
): Read<Item>[] {
  return rows.map((row) => readOne(row, read, nameOf));
}

/**
 * A faulty row is set aside alone, with the path and the reason.
 * @param nameOf the id to fetch the row again
 */
export function readOne<Item>(
  row: unknown,
  read: (row: unknown) => Item,
  nameOf = idOf,
): Read<Item> {
  const asideFor = (reason: string) =>
    aside({ externalId: nameOf(row) ?? idOf(row), reason, raw: rawOf(row) });
  const depth = tooDeep(row);
  if (depth) return asideFor(depth);
  try {
    return { ok: true, item: read(row) };
  } catch (error) {
    return asideFor(reasonOf(error));
  }
}

/** The name of a row in one of its fields, whether it is a valid id or not. */
export function nameIn(row: unknown, field: string): string | null {
  const value = z.looseObject({}).safeParse(row).data?.[field];
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Failures of a call for one thing that do not concern the others. */
const OF_ONE_THING: readonly UpstreamKind[] = ['unreadable', 'too_large', 'refused'];

type Asked<Item> = Read<Item> | null | readonly Read<Item>[];

/**
 * Fetches one thing of many. If its answer cannot be used, sets aside that thing, and not its page.
 * @param externalId the id to fetch it again
 */
export async function apart<Item>(
  externalId: string | null,
  ask: () => Promise<Asked<Item>>,
): Promise<readonly Read<Item>[]> {
  try {
    return [await ask()].flat().filter((read) => read !== null);
  } catch (error) {
    if (!isItsOwn(error)) throw error;
    if (externalId !== null && error instanceof UpstreamError && error.kind === 'too_large')
      return [tooLarge(externalId)];
    const reason = reasonOf(error);
    return [aside({ externalId, reason, raw: JSON.stringify({ id: externalId, reason }) })];
  }
}

/**
 * The same for several that one call fetches: in ever smaller parts, until the unusable one is
 * alone.
 */
export async function apartAmong<Item>(
  ids: readonly string[],
  ask: (ids: readonly string[]) => Promise<readonly Read<Item>[]>,
): Promise<readonly Read<Item>[]> {
  const [only] = ids;
  if (only === undefined) return [];
  if (ids.length === 1) return apart(only, () => ask(ids));
  try {
    return await ask(ids);
  } catch (error) {
    // A refusal concerns the query, and a smaller one would be refused too.
    if (!isItsOwn(error) || (error instanceof UpstreamError && error.kind === 'refused'))
      throw error;
    const middle = Math.ceil(ids.length / 2);
    return [
      ...(await apartAmong(ids.slice(0, middle), ask)),
      ...(await apartAmong(ids.slice(middle), ask)),
    ];
  }
}

export const TOO_LARGE = '(whole): larger than an answer may be';

/** A thing whose answer exceeds the size limit. */
export function tooLarge(externalId: string): Read<never> {
  return aside({
    externalId,
    reason: TOO_LARGE,
    raw: JSON.stringify({ id: externalId, reason: TOO_LARGE }),
  });
}

/**
 * The same for a list that does not identify the row: stored once a list, however often it occurs.
 */
export function tooLargeIn(list: string): Read<never> {
  return aside({
    externalId: null,
    reason: TOO_LARGE,
    raw: JSON.stringify({ list, reason: TOO_LARGE }),
  });
}

export function isSetAsTooLarge(read: Read<unknown>): boolean {
  return !read.ok && read.reason === TOO_LARGE;
}

const documents = new WeakMap<object, unknown>();

/**
 * The document of an answer, parsed once and shared; callers must not change it. @throws
 * SyntaxError
 */
export function documentOf(answer: Pick<WireAnswer, 'body'>): unknown {
  if (!documents.has(answer)) documents.set(answer, parseLossless(answer.body));
  return documents.get(answer);
}

/** Sets the document that all readers of this answer get from now on. */
export function setDocument(answer: object, document: unknown): void {
  documents.set(answer, document);
}

/** The document of an answer that may not be JSON; null then. */
export function documentOrNull(answer: Pick<WireAnswer, 'body'>): unknown {
  try {
    return documentOf(answer);
  } catch {
    return null;
  }
}

/** A body that may not be JSON; null then. */
export function parseOrNull(body: string): unknown {
  try {
    return parseLossless(withoutMark(body));
  } catch {
    return null;
  }
}

/** Whether the failure concerns the answer for one thing, by the error that was thrown. */
function isItsOwn(error: unknown): boolean {
  if (error instanceof UpstreamError) return OF_ONE_THING.includes(error.kind);
  return [z.ZodError, SyntaxError, TypeError, RangeError, URIError].some(
    (kind) => error instanceof kind,
  );
}

/** The path of the first wrong field and what is wrong with it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError))
    return `(whole): ${error instanceof Error ? error.message : error}`;
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : '(whole): unreadable';
}

function idOf(row: unknown): string | null {
  return nameIn(row, 'id');
}

function field<T = string>(what: string, read: (value: unknown) => T | undefined): z.ZodType<T> {
  return z.transform((value: unknown, context) => {
    const found = read(value);
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: `expected ${what}` });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
