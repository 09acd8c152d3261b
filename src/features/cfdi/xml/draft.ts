import type { Attributes } from './attributes.ts';
import type { Stamped } from './record.ts';

/** A record while it is read. */
export type Draft<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[]
    ? Item extends object
      ? Draft<Item>[]
      : Item[]
    : T[Key] extends readonly (infer Item)[] | null
      ? Item[] | null
      : NonNullable<T[Key]> extends { readonly details: readonly unknown[] }
        ? Draft<NonNullable<T[Key]>> | null
        : T[Key];
};

/** What each element adds to a record, by the element's path. */
export type Rules<Of> = Readonly<Record<string, (draft: Draft<Of>, at: Attributes) => void>>;

/** A kind of document. */
export interface Kind<Of extends Stamped> {
  /** Its root element. */
  readonly root: string;
  /** Its complement node. */
  readonly complements: string;
  /** The complement node of each of its items; absent = there is none. */
  readonly itemComplements?: string;
  readonly rules: ReadonlyMap<string, Rules<Of>[string]>;
  /** Elements that it cannot be without. */
  readonly needed: ReadonlySet<string>;
  /** Elements that it cannot have twice: one would hide the other. */
  readonly single: ReadonlySet<string>;
  /** The record before its first element. */
  begin(): Partial<Draft<Of>>;
}
