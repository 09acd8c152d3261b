import { z } from 'zod';
import { type Described, type Field, fieldIn, orNull, shape, type View } from './fields.ts';

/** One member of a document: a property of ours, or what follows from several, as a field. */
interface Member<Of> {
  readonly properties: readonly (keyof Of)[];
  readonly field: Described & Pick<Field<never>, 'imported'>;
  readonly views: readonly View[];
  /** What the seller is charged, has withheld, pays and earns: not for every reader. */
  readonly isEarnings: boolean;
  /** Absent = its key is always there. */
  isThere?(of: Of): boolean;
  write(of: Of): string;
  read(stored: unknown): Partial<Of>;
  /** What an imported value gives. */
  take(imported: unknown): Partial<Of>;
  in(view: View): Member<Of>;
}

export type Members<Of> = Readonly<Record<string, Member<Of>>>;

/** A document with these members. */
export function document<Of extends object>(description: string, members: Members<Of>): Field<Of> {
  const entries = Object.entries(members);
  const heads = entries.map(([key, member]) => ({ head: `${JSON.stringify(key)}:`, member }));
  return {
    ...shape(description, fieldsOf(members)),
    write(of) {
      let json = '{';
      for (const { head, member } of heads)
        if (member.isThere === undefined || member.isThere(of))
          json += `${json === '{' ? '' : ','}${head}${member.write(of)}`;
      return `${json}}`;
    },
    read(stored) {
      const of: Partial<Of> = {};
      const given = (stored ?? {}) as Record<string, unknown>;
      for (const [key, member] of entries) Object.assign(of, member.read(given[key]));
      return of as Of;
    },
    imported: importedDocument(members),
    in: (view) => document(description, membersIn(view, members)),
  };
}

/** A line with the members of a document; what it does not know is left aside. */
export function importedDocument<Of extends object>(members: Members<Of>): z.ZodType<Of> {
  const shape = Object.fromEntries(
    Object.entries(members).map(([key, { field }]) => [key, field.imported]),
  );
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

/** The members that a view shows, as it shows them. */
export function membersIn<Of>(view: View, members: Members<Of>): Members<Of> {
  const shown = Object.entries(members).filter(([, { views }]) => views.includes(view));
  return Object.fromEntries(shown.map(([key, member]) => [key, member.in(view)]));
}

/** The members for readers who may not see the seller's own money. */
export function withoutEarnings<Of>(members: Members<Of>): Members<Of> {
  return Object.fromEntries(Object.entries(members).filter(([, { isEarnings }]) => !isEarnings));
}

/** What is published of each member. */
export function fieldsOf<Of>(members: Members<Of>): Readonly<Record<string, Described>> {
  return Object.fromEntries(Object.entries(members).map(([key, { field }]) => [key, field]));
}

/** The properties that any of these members shows. */
type PropertiesOf<Given extends Record<string, { readonly properties: readonly unknown[] }>> =
  readonly Given[keyof Given]['properties'][number][];

/** Fails to compile where a property of `Of` is shown by no member. */
export type Whole<Of, Given extends Members<Of>> = [
  Exclude<keyof Of, Given[keyof Given]['properties'][number]>,
] extends [never]
  ? Given
  : { readonly missing: Exclude<keyof Of, Given[keyof Given]['properties'][number]> };

export const IN_ANSWERS = { views: ['list', 'detail'] } as const;
export const IN_EVENTS = { views: ['event'] } as const;

interface Options<Of> {
  readonly views?: readonly View[];
  readonly isEarnings?: boolean;
  /** Events of others do not have its key. */
  readonly inEventsIf?: (of: Of) => boolean;
}

/** Where a member's value comes from. */
interface Source<Of, Value> {
  readonly properties: readonly (keyof Of)[];
  from(of: Of): Value;
  to(value: Value): Partial<Of>;
}

interface Makes<Of> {
  <Property extends keyof Of>(
    property: Property,
    field: Field<Of[Property]>,
    options?: Options<Of>,
  ): Member<Of> & { readonly properties: readonly Property[] };
  <Value>(
    from: (of: Of) => Value,
    field: Field<Value>,
    options?: Options<Of>,
  ): Member<Of> & { readonly properties: readonly never[] };
}

/**
 * Makes members of documents that show an `Of`: of a property of it, or of what a function makes of
 * it.
 */
export function membersOf<Of extends object>() {
  const making = (usual: Options<Of>) =>
    ((from: keyof Of | ((of: Of) => unknown), field: Field<unknown>, options: Options<Of> = {}) =>
      memberOf(sourceOf<Of>(from), field, { ...usual, ...options })) as Makes<Of>;
  return {
    /** Everywhere. */
    brief: making({ views: ['list', 'detail', 'event'] }),
    /** Not in lists. */
    full: making({ views: ['detail', 'event'] }),
    /** Not in lists, and only for readers who may see the seller's own money. */
    earnings: making({ views: ['detail', 'event'], isEarnings: true }),
    /**
     * A document within the document that shows properties of the same thing; null where `isShown`
     * says so.
     */
    group<Inner extends Members<Of>>(
      description: string,
      members: Inner,
      isShown?: (of: Of) => boolean,
    ): Member<Of> & { readonly properties: PropertiesOf<Inner> } {
      const inner = document<Of>(description, members);
      const nothing = () => inner.read({});
      const group: Member<Of> & { readonly properties: PropertiesOf<Inner> } = {
        properties: valuesOf(members).flatMap(({ properties }) => properties),
        field: {
          ...(isShown ? orNull(inner) : inner),
          imported: orNull(inner).imported,
        } as unknown as Field<never>,
        views: ['detail', 'event'],
        isEarnings: false,
        write: (of) => (isShown && !isShown(of) ? 'null' : inner.write(of)),
        read: (stored) => (stored ? inner.read(stored) : nothing()),
        take: (given) => (given as Of | null) ?? nothing(),
        in: () => group,
      };
      return group;
    },
  };
}

function memberOf<Of, Value>(
  source: Source<Of, Value>,
  field: Field<Value>,
  options: Options<Of>,
  isThere?: (of: Of) => boolean,
): Member<Of> {
  const { views = [], isEarnings = false, inEventsIf } = options;
  return {
    properties: source.properties,
    field: field as unknown as Field<never>,
    views,
    isEarnings,
    ...(isThere && { isThere }),
    write: (of) => field.write(source.from(of)),
    read: (stored) => source.to(field.read(stored)),
    take: (imported) => source.to(imported as Value),
    in: (view) =>
      memberOf(source, fieldIn(view, field), options, view === 'event' ? inEventsIf : undefined),
  };
}

function sourceOf<Of>(from: keyof Of | ((of: Of) => unknown)): Source<Of, unknown> {
  if (typeof from === 'function') return { properties: [], from, to: () => ({}) };
  return {
    properties: [from],
    from: (of) => of[from],
    to: (value) => ({ [from]: value }) as unknown as Partial<Of>,
  };
}

/**
 * Writes a thing as a view shows it to a reader who may, or may not, see the seller's own money.
 */
export function writerOf<Of extends object>(members: Members<Of>) {
  const writers = (readable: Members<Of>) => {
    const inView = (view: View) => document<Of>('', membersIn(view, readable)).write;
    return { list: inView('list'), detail: inView('detail'), event: inView('event') };
  };
  const [all, others] = [writers(members), writers(withoutEarnings(members))];
  return (of: Of, view: View, { seesEarnings = true } = {}): string =>
    (seesEarnings ? all : others)[view](of);
}

function valuesOf<Given extends object>(of: Given): Given[keyof Given][] {
  return Object.values(of);
}
