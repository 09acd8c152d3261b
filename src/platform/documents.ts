import { z } from 'zod';
import {
  type Described,
  type Field,
  fieldIn,
  type JsonOfAll,
  orNull,
  shape,
  type View,
} from './fields.ts';

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
  /** Sets the properties that the stored value gives. */
  read(stored: unknown, of: Partial<Of>): void;
  /** What an imported value gives. */
  take(imported: unknown): Partial<Of>;
  in(view: View): Member<Of>;
}

export type Members<Of> = Readonly<Record<string, Member<Of>>>;
type AnyMembers = Readonly<
  Record<string, { readonly field: Described; readonly views: readonly View[] }>
>;

/** The fields of the members. */
type FieldsOf<Given extends AnyMembers> = { readonly [Key in keyof Given]: Given[Key]['field'] };
/** The type of the public JSON of a document with these members. */
type JsonOfMembers<Given extends AnyMembers> = JsonOfAll<FieldsOf<Given>>;
/** The names of the members that not every reader sees. */
export type EarningsOf<Given extends Readonly<Record<string, { readonly isEarnings: boolean }>>> = {
  [Key in keyof Given]: true extends Given[Key]['isEarnings'] ? Key : never;
}[keyof Given];
/** The members that a view shows. */
type InView<V extends View, Given extends AnyMembers> = {
  readonly [Key in keyof Given as V extends Given[Key]['views'][number] ? Key : never]: Given[Key];
};

/** A document with these members. */
export function document<Of extends object, Given extends Members<Of> = Members<Of>>(
  description: string,
  members: Given & Members<Of>,
): Field<Of, JsonOfMembers<Given>> {
  const entries = Object.entries(members);
  const heads = entries.map(([key, member]) => ({ head: `${JSON.stringify(key)}:`, member }));
  return {
    ...(shape(description, fieldsOf(members)) as unknown as Described<JsonOfMembers<Given>>),
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
      for (const [key, member] of entries) member.read(given[key], of);
      return of as Of;
    },
    imported: importedDocument(members),
    in: (view) => document<Of>(description, membersIn(view, members)) as Field<Of, never>,
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
export function fieldsOf<Given extends AnyMembers>(members: Given): FieldsOf<Given> {
  const entries = Object.entries(members).map(([key, { field }]) => [key, field]);
  return Object.fromEntries(entries) as FieldsOf<Given>;
}

/** What is published of each member that a view shows. */
export function fieldsIn<V extends View, Given extends AnyMembers>(
  view: V,
  members: Given,
): FieldsOf<InView<V, Given>> {
  const shown = membersIn(view, members as unknown as Members<object>);
  return fieldsOf(shown) as unknown as FieldsOf<InView<V, Given>>;
}

/** The properties that any of these members shows. */
type PropertiesOf<Given extends Record<string, { readonly properties: readonly unknown[] }>> =
  readonly Given[keyof Given]['properties'][number][];

/** A group may be null. */
type GroupOf<Of, Inner extends Members<Of>> = Member<Of> & {
  readonly properties: PropertiesOf<Inner>;
  readonly field: Described<JsonOfMembers<Inner> | null>;
  readonly views: readonly ('detail' | 'event')[];
  readonly isEarnings: false;
};

/** Fails to compile where a property of `Of` is shown by no member. */
export type Whole<Of, Given extends Members<Of>> = [
  Exclude<keyof Of, Given[keyof Given]['properties'][number]>,
] extends [never]
  ? Given
  : { readonly missing: Exclude<keyof Of, Given[keyof Given]['properties'][number]> };

export const IN_ANSWERS = { views: ['list', 'detail'] } as const;
export const IN_EVENTS = { views: ['event'] } as const;

interface Options<Of, Shown extends View = View> {
  readonly views?: readonly Shown[];
  readonly isEarnings?: boolean;
  /** Events of others do not have its key. */
  readonly inEventsIf?: (of: Of) => boolean;
}

/** Where a member's value comes from. */
interface Source<Of, Value> {
  readonly properties: readonly (keyof Of)[];
  from(of: Of): Value;
  set(of: Partial<Of>, value: Value): void;
}

/** A member of which the types say what it shows, where, and its public JSON. */
type Made<Of, Property, Json, Shown extends View, Earnings extends boolean> = Member<Of> & {
  readonly properties: readonly Property[];
  readonly field: Described<Json>;
  readonly views: readonly Shown[];
  readonly isEarnings: Earnings;
};

interface Makes<Of, Usual extends View, Earnings extends boolean> {
  <Property extends keyof Of, Json, Shown extends View = Usual>(
    property: Property,
    field: Field<Of[Property], Json>,
    options?: Options<Of, Shown>,
  ): Made<Of, Property, Json, Shown, Earnings>;
  <Value, Json, Shown extends View = Usual>(
    from: (of: Of) => Value,
    field: Field<Value, Json>,
    options?: Options<Of, Shown>,
  ): Made<Of, never, Json, Shown, Earnings>;
}

/**
 * Makes members of documents that show an `Of`: of a property of it, or of what a function makes of
 * it.
 */
export function membersOf<Of extends object>() {
  const making = <Shown extends View, Earnings extends boolean>(usual: Options<Of, Shown>) =>
    ((from: keyof Of | ((of: Of) => unknown), field: Field<unknown>, options: Options<Of> = {}) =>
      memberOf(sourceOf<Of>(from), field, { ...usual, ...options })) as Makes<Of, Shown, Earnings>;
  return {
    /** Everywhere. */
    brief: making<View, false>({ views: ['list', 'detail', 'event'] }),
    /** Not in lists. */
    full: making<'detail' | 'event', false>({ views: ['detail', 'event'] }),
    /** Not in lists, and only for readers who may see the seller's own money. */
    earnings: making<'detail' | 'event', true>({ views: ['detail', 'event'], isEarnings: true }),
    /**
     * A document within the document that shows properties of the same thing; null where `isShown`
     * says so.
     */
    group<const Inner extends Members<Of>>(
      description: string,
      members: Inner,
      isShown?: (of: Of) => boolean,
    ): GroupOf<Of, Inner> {
      const inner = document<Of>(description, members);
      const nothing = () => inner.read({});
      const group: GroupOf<Of, Inner> = {
        properties: valuesOf(members).flatMap(({ properties }) => properties),
        field: {
          ...(isShown ? orNull(inner) : inner),
          imported: orNull(inner).imported,
        } as unknown as GroupOf<Of, Inner>['field'],
        views: ['detail', 'event'],
        isEarnings: false,
        write: (of) => (isShown && !isShown(of) ? 'null' : inner.write(of)),
        read: (stored, of) => void Object.assign(of, stored ? inner.read(stored) : nothing()),
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
    read: (stored, of) => source.set(of, field.read(stored)),
    take: (imported) => {
      const of: Partial<Of> = {};
      source.set(of, imported as Value);
      return of;
    },
    in: (view) =>
      memberOf(source, fieldIn(view, field), options, view === 'event' ? inEventsIf : undefined),
  };
}

function sourceOf<Of>(from: keyof Of | ((of: Of) => unknown)): Source<Of, unknown> {
  if (typeof from === 'function') return { properties: [], from, set: () => {} };
  return {
    properties: [from],
    from: (of) => of[from],
    set: (of, value) => {
      of[from] = value as Of[keyof Of];
    },
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
