import { z } from 'zod';
import { isStorableText } from './json.ts';
import { type Instant, isBeforeTimes, isDay, parseInstant } from './time.ts';

/**
 * The inputs of lists and tools, read alike from a query string, from an agent's arguments and from
 * a screen. A field says what it is for, with an example. Left out, it is null, or an empty list.
 * Its faults are Spanish predicates that go on from «El parámetro limit» («debe ser un entero»).
 */
export function inputOf<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape);
}

/** What an input gives, by our own names: `accountId` for `account_id`. */
export type Given<Input extends z.ZodType> = InOurWords<z.output<Input>>;
/** The same of the fields of an input. */
export type GivenBy<Shape extends z.ZodRawShape> = InOurWords<z.output<z.ZodObject<Shape>>>;

type InOurWords<Of> = { readonly [Name in keyof Of as OurWord<Name>]: Of[Name] };
type OurWord<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<OurWord<Tail>>}`
  : Name;

const MOST_VALUES = 50;
const MOST_TEXT = 200;

/**
 * A full timestamp. An offset's plus sign that was not encoded in an address arrives as a space.
 */
export function instant(description: string, example: string) {
  const text = described(
    z.string(),
    `${description} Fecha y hora con zona: 2026-11-20T18:00:00Z.`,
    example,
    { format: 'date-time' },
  );
  return orNull(
    text.transform((given, context): Instant => {
      const typed = given.replace(/ (?=\d{2}:?\d{2}$)/, '+');
      const read = parseInstant(typed);
      if (read) return read;
      const message = isBeforeTimes(typed)
        ? 'debe ser del año 1970 en adelante.'
        : 'debe ser una fecha y hora completa en ISO 8601 con Z o desfase, por ejemplo 2026-11-20T18:00:00Z.';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }),
  );
}

const DAY_LENGTH = '2026-11-20'.length;

/** A whole day of a time zone that is asked for beside it. Required. */
export function day(description: string, example: string) {
  const faultOf = (given: string) =>
    isDay(given.slice(0, DAY_LENGTH))
      ? 'debe ser un día sin hora, por ejemplo 2026-11-20: se cuentan días completos, los de la zona horaria de timezone.'
      : 'debe ser un día del calendario, AAAA-MM-DD, por ejemplo 2026-11-20.';
  const text = z.string().refine(isDay, { error: ({ input }) => faultOf(String(input)) });
  return described(text, `${description} AAAA-MM-DD, sin hora: 2026-11-20.`, example, {
    format: 'date',
  });
}

/** One of our own words. */
export function choice<const Word extends string>(
  words: readonly Word[],
  description: string,
  example: NoInfer<Word>,
) {
  return orNull(described(z.enum(words), description, example));
}

/**
 * Any of our own words, each once and in order, so that the same list written otherwise is the same
 * filter.
 */
export function choices<const Word extends string>(
  words: readonly Word[],
  description: string,
  example: readonly NoInfer<Word>[],
) {
  return listed(z.enum(words), description, example);
}

/** Words or an identifier, exactly as typed. */
export function wording(description: string, example: string, longest = MOST_TEXT) {
  return orNull(described(storable(longest), description, example));
}

/** Any of these identifiers, as `choices`. @param tooLong goes on from the field's name */
export function identifiers(
  description: string,
  example: readonly string[],
  longest: number,
  tooLong: string,
) {
  return listed(storable(longest, tooLong), description, example);
}

export function count(least: number, most: number, description: string, example: number) {
  const error = `debe ser un entero entre ${least} y ${most}.`;
  return described(
    z.int({ error }).min(least, { error }).max(most, { error }),
    description,
    example,
  );
}

/** @param usual what it is where it is left out */
export function yesOrNo(usual: boolean, description: string) {
  return described(z.boolean(), description, !usual).default(usual);
}

export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((given) => given ?? null);
}

/** The longest cursor that a list of ours makes is shorter. */
const LONGEST_CURSOR = 50_000;

/** Which page of a list. */
export function pageInput({ usual, most }: { usual: number; most: number }) {
  return {
    limit: count(1, most, 'Resultados por página.', 25).default(usual),
    cursor: orNull(
      described(
        z.string().min(1).max(LONGEST_CURSOR),
        'El `next_cursor` anterior, que conserva los filtros.',
        'eyJ2IjoxfQ',
      ),
    ),
  };
}

/** Whether a field was given; left out, it is null or an empty list. */
export function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}

/** The same fields as if this one had been left out, or all of them. */
export function leavingOut<Of extends object>(given: Of, name?: keyof Of): Of {
  const emptied = Object.entries(given).map(([each, value]) =>
    name === undefined || each === name ? [each, Array.isArray(value) ? [] : null] : [each, value],
  );
  return Object.fromEntries(emptied) as Of;
}

/** Our name of a field as callers write it. */
export function publicName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const ourWords = new Map<string, string>();

/** Our name of a field that callers give. */
export function ourWord(name: string): string {
  const known = ourWords.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  ourWords.set(name, made);
  return made;
}

function listed<Value extends string>(
  item: z.ZodType<Value>,
  description: string,
  example: readonly Value[],
) {
  return described(z.array(item).max(MOST_VALUES), description, example)
    .optional()
    .transform((given): readonly Value[] => (given ? [...new Set(given)].sort() : []));
}

function storable(longest: number, tooLong?: string) {
  return z
    .string()
    .min(1)
    .max(longest, tooLong === undefined ? undefined : { error: tooLong })
    .refine(isStorableText, 'tiene caracteres que no son texto: quítalos.');
}

function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
  more: { readonly format?: string } = {},
): Schema {
  return schema.meta({ description, examples: [example], ...more });
}
