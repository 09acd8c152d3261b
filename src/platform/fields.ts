import { z } from 'zod';
import { isRawNumber, type RawNumber } from './json.ts';
import { type Decimal, parseDecimal } from './money.ts';
import { formatMillis, type Instant, isBeforeTimes, parseInstant } from './time.ts';

/**
 * The fields of public documents (documents.ts). A field says once what a value is: its schema with
 * a Spanish description and an example, how it is written as JSON text, how stored JSON is read
 * back, and what an imported line may hold for it.
 */
export interface Field<Value, Json = unknown> extends Described<Json> {
  write(value: Value): string;
  /**
   * From JSON whose numbers are their own texts; `undefined` = it was stored before the field
   * existed.
   */
  read(stored: unknown): Value;
  /** Of an imported line: its faults are Spanish predicates («debe ser un texto»). */
  readonly imported: z.ZodType<Value>;
  /** The same field as a view shows it; absent = as every view does. */
  in?(view: View): Field<Value, Json>;
}

/**
 * Where a document is shown: in a list, alone with its whole detail, or in an event that reports
 * customers of it.
 */
export type View = 'list' | 'detail' | 'event';

/** What is published of a value. `Json` is the type of its public JSON. */
export interface Described<Json = unknown> {
  /** Of the public JSON. */
  readonly type: z.ZodType<Json>;
  /** In Spanish. */
  readonly description: string;
  readonly example: unknown;
}

/** The type of the public JSON of a field. */
export type JsonOf<Of extends Described> = z.output<Of['type']>;
/** The type of the public JSON of an object with these fields. */
export type JsonOfAll<Fields extends Readonly<Record<string, Described>>> = {
  [Key in keyof Fields]: JsonOf<Fields[Key]>;
};

/** The schema of the public JSON, closed, with its description and example. */
export function schemaOf<Json>(described: Described<Json>): z.ZodType<Json> {
  const { type, description, example } = described;
  const known = schemas.get(described) as z.ZodType<Json> | undefined;
  if (known) return known;
  const made = type.meta({ description, examples: [example] });
  schemas.set(described, made);
  return made;
}

/** One schema each, so that a document that holds another one can refer to it. */
const schemas = new WeakMap<Described, z.ZodType>();

const LONGEST_TEXT = 5_000;
const MILLIS_PATTERN = '\\.\\d{3}Z$';
const MICROS_PATTERN = '\\.\\d{6}Z$';

export function text(
  description: string,
  example: string,
  longest = LONGEST_TEXT,
): Field<string, string> {
  return {
    type: z.string(),
    description,
    example,
    write: JSON.stringify,
    read: (stored) => (typeof stored === 'string' ? stored : ''),
    imported: z
      .string({ error: 'debe ser un texto' })
      .max(longest, { error: `admite hasta ${longest} caracteres` }),
  };
}

/** A text that is never empty, such as an identifier. */
export function name(description: string, example: string, longest = 500): Field<string, string> {
  const field = text(description, example, longest);
  return {
    ...field,
    imported: z
      .string({ error: 'debe ser un texto' })
      .min(1, { error: 'no puede estar vacío' })
      .max(longest, { error: 'es demasiado largo' }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A name that addresses and cursors hold: a control character takes six times its place there. */
export function identifier(
  description: string,
  example: string,
  longest: number,
): Field<string, string> {
  const isPlain = (given: string) => !CONTROL.test(given);
  return refusing(
    name(description, example, longest),
    isPlain,
    'no puede llevar caracteres de control',
  );
}

/** A name that can stand in a list in an address, where blanks around it mean nothing. */
export function listable(field: Field<string, string>): Field<string, string> {
  const isBare = (given: string) => given === given.trim();
  return refusing(field, isBare, 'no puede llevar espacios al principio ni al final');
}

function refusing(
  field: Field<string, string>,
  isGood: (given: string) => boolean,
  sentence: string,
): Field<string, string> {
  return { ...field, imported: field.imported.refine(isGood, { error: sentence, abort: true }) };
}

/** One of our own words. */
export function word<const Word extends string>(
  values: readonly Word[],
  description: string,
  example: NoInfer<Word>,
): Field<Word, Word> {
  return {
    type: z.enum(values),
    description,
    example,
    write: JSON.stringify,
    read: (stored) => stored as Word,
    imported: z.enum(values, {
      error: `debe ser uno de: ${values.join(', ')}`,
    }) as unknown as z.ZodType<Word>,
  };
}

/** An exact amount: a number in JSON, with the digits that its source gave. */
export function amount(description: string, example: number): Field<Decimal, number> {
  return {
    type: z.number(),
    description,
    example,
    write: (value) => value,
    read: (stored) => (isRawNumber(stored) ? stored.rawJSON : '0') as Decimal,
    imported: importing<Decimal>(
      () => 'debe ser un número',
      (value) => (isRawNumber(value) ? parseDecimal(value.rawJSON) : null),
    ),
  };
}

export function whole(description: string, example: number): Field<number, number> {
  return {
    type: z.int(),
    description,
    example,
    write: String,
    read: (stored) => Number(isRawNumber(stored) ? stored.rawJSON : stored),
    imported: importing<number>(
      () => 'debe ser un número entero de cero o más',
      (value) => {
        const number = isRawNumber(value)
          ? Math.ceil(Number((value as RawNumber).rawJSON))
          : Number.NaN;
        return Number.isSafeInteger(number) && number >= 0 ? number : null;
      },
    ),
  };
}

export function flag(description: string, example: boolean): Field<boolean, boolean> {
  return {
    type: z.boolean(),
    description,
    example,
    write: String,
    read: (stored) => stored === true,
    imported: z.boolean({ error: 'debe ser true o false' }),
  };
}

/** A time in UTC with milliseconds. */
export function time(description: string, example: string): Field<Instant, string> {
  return {
    ...timeText(description, example, MILLIS_PATTERN),
    write: (value) => `"${formatMillis(value)}"`,
    read: (stored) => Temporal.Instant.from(String(stored)),
    imported: importing<Instant>(
      (value) =>
        typeof value === 'string' && isBeforeTimes(value)
          ? 'debe ser del año 1970 en adelante'
          : 'debe ser una fecha y hora ISO 8601 con Z o desfase',
      (value) => (typeof value === 'string' ? parseInstant(value) : null),
    ),
  };
}

/** The field, or null where its source is silent. */
export function orNull<Value, Json>(field: Field<Value, Json>): Field<Value | null, Json | null> {
  return {
    type: z.union([field.type, z.null()]),
    description: field.description,
    example: field.example,
    write: (value) => (value === null ? 'null' : field.write(value)),
    read: (stored) => (stored === null || stored === undefined ? null : field.read(stored)),
    imported: field.imported
      .nullish()
      .transform((value) => value ?? null) as z.ZodType<Value | null>,
    ...(field.in && { in: (view: View) => orNull(fieldIn(view, field)) }),
  };
}

/** What a document says that was stored before the field existed, and a line that leaves it out. */
export function withDefault<Value, Json>(
  field: Field<Value, Json>,
  absent: Value,
): Field<Value, Json> {
  return {
    ...field,
    read: (stored) => (stored === undefined ? absent : field.read(stored)),
    imported: field.imported.nullish().transform((value) => value ?? absent) as z.ZodType<Value>,
    ...(field.in && { in: (view: View) => withDefault(fieldIn(view, field), absent) }),
  };
}

export function list<Value, Json>(
  description: string,
  item: Field<Value, Json>,
  most = 1_000,
): Field<readonly Value[], Json[]> {
  return {
    ...listOf(description, item),
    write: (values) => `[${values.map(item.write).join(',')}]`,
    read: (stored) => (Array.isArray(stored) ? stored.map(item.read) : []),
    imported: z
      .array(item.imported, { error: 'debe ser una lista' })
      .max(most, { error: `admite hasta ${most} elementos` }),
    ...(item.in && { in: (view: View) => list(description, fieldIn(view, item), most) }),
  };
}

export function fieldIn<Value, Json>(view: View, field: Field<Value, Json>): Field<Value, Json> {
  return field.in?.(view) ?? field;
}

/** A stamp of the delta clock, in UTC with microseconds. */
export function stamp(description: string, example: string): Described<string> {
  return timeText(description, example, MICROS_PATTERN);
}

/** The schema of a document that is written elsewhere, such as an envelope. */
export function shape<const Fields extends Readonly<Record<string, Described>>>(
  description: string,
  fields: Fields,
): Described<JsonOfAll<Fields>> {
  const entries = Object.entries(fields);
  const shown = z.object(Object.fromEntries(entries.map(([key, field]) => [key, schemaOf(field)])));
  return {
    type: shown as unknown as z.ZodType<JsonOfAll<Fields>>,
    description,
    example: Object.fromEntries(entries.map(([key, { example }]) => [key, example])),
  };
}

/** The schema of a list that is written elsewhere. */
export function listOf<Json>(description: string, item: Described<Json>): Described<Json[]> {
  return { type: z.array(schemaOf(item)), description, example: [item.example] };
}

function timeText(description: string, example: string, pattern: string): Described<string> {
  return { type: z.string().meta({ format: 'date-time', pattern }), description, example };
}

/** @param faultOf what is wrong with a value that `from` does not read */
function importing<T>(
  faultOf: (value: unknown) => string,
  from: (value: unknown) => T | null,
): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const found = from(value);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: faultOf(value) });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
