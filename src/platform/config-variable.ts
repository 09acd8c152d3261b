import type { Reader } from './config-readers.ts';

export interface Variable<Value> {
  readonly name: string;
  /** For `.env.example` and the documents. */
  readonly about: string;
  /** The default of an empty variable; it may follow from the settings above it. */
  readonly default: string | ((above: Readonly<Record<string, unknown>>) => string);
  readonly read: Reader<Value>;
}

/**
 * A variable that exists for each marketplace or carrier: its name ends so, and begins with the
 * slug.
 */
export interface ServiceVariable<Value> extends Pick<Variable<Value>, 'about' | 'read'> {
  readonly ending: string;
  /** A slug whose variable the documents show. */
  readonly shownFor: string;
}

export function serviceVariable(slug: string, ending: string): string {
  return `${slug.toUpperCase()}_${ending}`;
}
