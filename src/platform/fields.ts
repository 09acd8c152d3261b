import { z } from 'zod';
import { isRawNumber, type RawNumber } from './json.ts';
import { type Decimal, parseDecimal } from './money.ts';
import { formatMillis, type Instant, isBeforeTimes, parseInstant } from './time.ts';

/**
 * The fields of public documents. A field says once what a value is: its schema with a Spanish description and an
 * example, how it is written as JSON text, how stored JSON is read back, and what an imported line may hold for it.
 */
export interface Field<Value> extends Described {
  write(value: Value): string;
  /** From JSON whose numbers are their own texts; `undefined` = it was stored before the field existed. */
  read(stored: unknown): Value;
  /** Of a line that somebody imports: its faults are Spanish predicates («debe ser un texto»). */
  readonly imported: z.ZodType<Value>;
  /** The same field as lists show it; absent = it has no shorter form. */
  readonly brief?: Field<Value>;
}

/** One member of a document: the property of ours that it shows. */
export interface Member<Of> {
  readonly properties: readonly (keyof Of)[];
  readonly field: Described & Pick<Field<never>, 'imported'>;
  readonly isBrief: boolean;
  /** What the seller is charged, has withheld and earns: not for every reader. */
  readonly isEarnings: boolean;
  write(of: Of): string;
  read(stored: unknown): Partial<Of>;
  /** What an imported value gives. */
  take(imported: unknown): Partial<Of>;
  brief(): Member<Of>;
}

export type Members<Of> = Readonly<Record<string, Member<Of>>>;

/** What is published of a value. */
export interface Described {
  /** Of the public JSON. */
  readonly type: z.ZodType;
  /** In Spanish. */
  readonly description: string;
  readonly example: unknown;
}

/** The schema of the public JSON, closed, with its description and example. */
export function schemaOf(described: Described): z.ZodType {
  const { type, description, example } = described;
  const known = schemas.get(described);
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

export function text(description: string, example: string, longest = LONGEST_TEXT): Field<string> {
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
export function name(description: string, example: string, longest = 500): Field<string> {
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
export function identifier(description: string, example: string, longest: number): Field<string> {
  const isPlain = (given: string) => !CONTROL.test(given);
  return refusing(name(description, example, longest), isPlain, 'no puede llevar caracteres de control');
}

/** A name that can stand in a list in an address, where blanks around it mean nothing. */
export function listable(field: Field<string>): Field<string> {
  const isBare = (given: string) => given === given.trim();
  return refusing(field, isBare, 'no puede llevar espacios al principio ni al final');
}

function refusing(field: Field<string>, isGood: (given: string) => boolean, sentence: string): Field<string> {
  return { ...field, imported: field.imported.refine(isGood, { error: sentence, abort: true }) };
}

/** One of our own words. */
export function word<const Word extends string>(
  values: readonly Word[],
  description: string,
  example: NoInfer<Word>,
): Field<Word> {
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
export function amount(description: string, example: number): Field<Decimal> {
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

export function whole(description: string, example: number): Field<number> {
  return {
    type: z.int(),
    description,
    example,
    write: String,
    read: (stored) => Number(isRawNumber(stored) ? stored.rawJSON : stored),
    imported: importing<number>(
      () => 'debe ser un número entero de cero o más',
      (value) => {
        const number = isRawNumber(value) ? Math.ceil(Number((value as RawNumber).rawJSON)) : Number.NaN;
        return Number.isSafeInteger(number) && number >= 0 ? number : null;
      },
    ),
  };
}

export function flag(description: string, example: boolean): Field<boolean> {
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
export function time(description: string, example: string): Field<Instant> {
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
export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return {
    type: z.union([field.type, z.null()]),
    description: field.description,
    example: field.example,
    write: (value) => (value === null ? 'null' : field.write(value)),
    read: (stored) => (stored === null || stored === undefined ? null : field.read(stored)),
    imported: field.imported.nullish().transform((value) => value ?? null) as z.ZodType<Value | null>,
    ...(field.brief && { brief: orNull(field.brief) }),
  };
}

/** What a document says that was stored before the field existed, and a line that leaves it out. */
export function withDefault<Value>(field: Field<Value>, absent: Value): Field<Value> {
  return {
    ...field,
    read: (stored) => (stored === undefined ? absent : field.read(stored)),
    imported: field.imported.nullish().transform((value) => value ?? absent) as z.ZodType<Value>,
    ...(field.brief && { brief: withDefault(field.brief, absent) }),
  };
}

export function list<Value>(description: string, item: Field<Value>, most = 1_000): Field<readonly Value[]> {
  return {
    ...listOf(description, item),
    write: (values) => `[${values.map(item.write).join(',')}]`,
    read: (stored) => (Array.isArray(stored) ? stored.map(item.read) : []),
    imported: z
      .array(item.imported, { error: 'debe ser una lista' })
      .max(most, { error: `admite hasta ${most} elementos` }),
    ...(item.brief && { brief: list(description, item.brief, most) }),
  };
}

/** A document with these members. */
export function document<Of extends object>(description: string, members: Members<Of>): Field<Of> {
  const entries = Object.entries(members);
  const heads = entries.map(([key, member]) => ({ head: `${JSON.stringify(key)}:`, member }));
  const brief = entries.filter(([, member]) => member.isBrief);
  return {
    ...shape(description, fieldsOf(members, 'full')),
    write(of) {
      let json = '{';
      for (const { head, member } of heads) json += `${json === '{' ? '' : ','}${head}${member.write(of)}`;
      return `${json}}`;
    },
    read(stored) {
      const of: Partial<Of> = {};
      const given = (stored ?? {}) as Record<string, unknown>;
      for (const [key, member] of entries) Object.assign(of, member.read(given[key]));
      return of as Of;
    },
    imported: importedDocument(members),
    ...(brief.length > 0 &&
      brief.length < entries.length && {
        brief: document<Of>(
          description,
          Object.fromEntries(brief.map(([key, member]) => [key, member.brief()])),
        ),
      }),
  };
}

/** A line with the members of a document; what it does not know is left aside. */
export function importedDocument<Of extends object>(members: Members<Of>): z.ZodType<Of> {
  const shape = Object.fromEntries(Object.entries(members).map(([key, { field }]) => [key, field.imported]));
  return z.object(shape, { error: 'debe ser un objeto JSON' }).transform((given) => {
    const of: Partial<Of> = {};
    // Two groups may show one property; what is given goes over what is left out.
    const entries = Object.entries(members).map(([key, member]) => ({ member, value: given[key] }));
    for (const { member, value } of entries.filter((entry) => entry.value === null))
      Object.assign(of, member.take(value));
    for (const { member, value } of entries.filter((entry) => entry.value !== null))
      Object.assign(of, member.take(value));
    return of as Of;
  }) as unknown as z.ZodType<Of>;
}

/** Makes members of documents that show an `Of`. */
export function membersOf<Of extends object>() {
  function member<Property extends keyof Of>(
    property: Property,
    field: Field<Of[Property]>,
    { isBrief = false, isEarnings = false } = {},
  ): Member<Of> & { readonly properties: readonly Property[] } {
    const put = (value: unknown) => ({ [property]: value }) as unknown as Partial<Of>;
    return {
      properties: [property],
      field: field as Field<never>,
      isBrief,
      isEarnings,
      write: (of) => field.write(of[property]),
      read: (stored) => put(field.read(stored)),
      take: put,
      brief: () => member(property, field.brief ?? field, { isBrief, isEarnings }),
    };
  }
  return {
    /** In the detail alone. */
    full: <Property extends keyof Of>(property: Property, field: Field<Of[Property]>) =>
      member(property, field),
    /** In lists, too. */
    brief: <Property extends keyof Of>(property: Property, field: Field<Of[Property]>) =>
      member(property, field, { isBrief: true }),
    /** In the detail alone, and only for readers who may see the seller's own money. */
    earnings: <Property extends keyof Of>(property: Property, field: Field<Of[Property]>) =>
      member(property, field, { isEarnings: true }),
    /** A document within the document that shows properties of the same thing; null where `isShown` says so. */
    group<Inner extends Members<Of>>(
      description: string,
      members: Inner,
      isShown?: (of: Of) => boolean,
    ): Member<Of> & { readonly properties: Inner[keyof Inner]['properties'] } {
      const inner = document<Of>(description, members);
      const nothing = () => inner.read({});
      const group: Member<Of> & { readonly properties: Inner[keyof Inner]['properties'] } = {
        properties: Object.values(members).flatMap(({ properties }) => properties) as never,
        field: {
          ...(isShown ? orNull(inner) : inner),
          imported: orNull(inner).imported,
        } as unknown as Field<never>,
        isBrief: false,
        isEarnings: false,
        write: (of) => (isShown && !isShown(of) ? 'null' : inner.write(of)),
        read: (stored) => (stored ? inner.read(stored) : nothing()),
        take: (given) => (given as Of | null) ?? nothing(),
        brief: () => group,
      };
      return group;
    },
  };
}

/** A stamp of the delta clock, in UTC with microseconds. */
export function stamp(description: string, example: string): Described {
  return timeText(description, example, MICROS_PATTERN);
}

/** The schema of a document that is written elsewhere, such as an envelope. */
export function shape(description: string, fields: Readonly<Record<string, Described>>): Described {
  const entries = Object.entries(fields);
  return {
    type: z.object(Object.fromEntries(entries.map(([key, field]) => [key, schemaOf(field)]))),
    description,
    example: Object.fromEntries(entries.map(([key, { example }]) => [key, example])),
  };
}

/** The schema of a list that is written elsewhere. */
export function listOf(description: string, item: Described): Described {
  return { type: z.array(schemaOf(item)), description, example: [item.example] };
}

/** The fields of a document, as lists or as its detail show them. */
export function fieldsOf<Of>(
  members: Members<Of>,
  extent: 'brief' | 'full',
): Readonly<Record<string, Described>> {
  const entries = Object.entries(members);
  return Object.fromEntries(
    extent === 'full'
      ? entries.map(([key, { field }]) => [key, field])
      : entries.filter(([, { isBrief }]) => isBrief).map(([key, member]) => [key, member.brief().field]),
  );
}

/** Fails to compile where a property of `Of` is shown by no member. */
export type Whole<Of, Given extends Members<Of>> = [
  Exclude<keyof Of, Given[keyof Given]['properties'][number]>,
] extends [never]
  ? Given
  : { readonly missing: Exclude<keyof Of, Given[keyof Given]['properties'][number]> };

function timeText(description: string, example: string, pattern: string): Described {
  return { type: z.string().meta({ format: 'date-time', pattern }), description, example };
}

/** @param faultOf what is wrong with a value that `from` does not read */
function importing<T>(faultOf: (value: unknown) => string, from: (value: unknown) => T | null): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const found = from(value);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: faultOf(value) });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
