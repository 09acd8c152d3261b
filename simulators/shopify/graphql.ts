/**
 * As much of GraphQL as the queries of a shop need: reads a document, and picks from a tree what it
 * asks for.
 */

export interface Field {
  /** `...` for what is asked of one type only, which then replaces the alias. */
  readonly name: string;
  readonly alias: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Null = a leaf. */
  readonly fields: readonly Field[] | null;
}

export interface Operation {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly fields: readonly Field[];
}

/** Thrown where a query cannot be answered at all; `code` as Shopify words it. */
export class QueryError extends Error {
  readonly code: string;
  readonly path: readonly (string | number)[];
  constructor(message: string, code: string, path: readonly (string | number)[] = []) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** A document from outside: what it does not hold is null, not a mistake of the query. */
export const AS_GIVEN = Symbol('as given');

const TOKEN = /"(?:[^"\\]|\\.)*"|\.{3}|[\w.-]+|[{}()[\]:!$=]/g;

export function parseQuery(
  text: string,
  variables: Readonly<Record<string, unknown>> = {},
): Operation {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const peek = () => tokens[at] ?? '';
  const take = () => tokens[at++] ?? '';
  function expect(token: string): void {
    if (take() !== token) throw new QueryError(`syntax error, expected ${token}`, 'parseError');
  }

  function value(): unknown {
    const token = take();
    if (token === '$') return variables[take()] ?? null;
    if (token === '[') return until(']', value);
    if (token === '{') return Object.fromEntries(until('}', pair));
    if (token.startsWith('"')) return JSON.parse(token);
    if (/^-?\d/.test(token)) return Number(token);
    return ({ true: true, false: false, null: null } as Record<string, unknown>)[token] ?? token;
  }
  function pair(): [string, unknown] {
    const name = take();
    expect(':');
    return [name, value()];
  }
  function until<T>(end: string, read: () => T): T[] {
    const all: T[] = [];
    while (peek() !== end) {
      if (at >= tokens.length) throw new QueryError(`syntax error, expected ${end}`, 'parseError');
      all.push(read());
    }
    take();
    return all;
  }
  function field(): Field {
    const first = take();
    if (first === '...') {
      expect('on');
      const type = take();
      expect('{');
      return { name: first, alias: type, args: {}, fields: until('}', field) };
    }
    const isAliased = peek() === ':';
    if (isAliased) take();
    const name = isAliased ? take() : first;
    const args = peek() === '(' && take() ? Object.fromEntries(until(')', pair)) : {};
    const fields = peek() === '{' && take() ? until('}', field) : null;
    return { name, alias: first, args, fields };
  }

  const kind = peek() === '{' ? 'query' : (take() as Operation['kind']);
  const name = /^\w/.test(peek()) ? take() : '';
  if (peek() === '(') while (take() !== ')') if (at >= tokens.length) break;
  expect('{');
  return { kind, name, fields: until('}', field) };
}

type Tree = Readonly<Record<string | symbol, unknown>>;

/**
 * Functions in the tree are given the arguments. `errors` gathers what was refused; there the
 * answer is null.
 */
export function pick(
  tree: Tree,
  fields: readonly Field[],
  errors: QueryError[],
  path: readonly (string | number)[] = [],
  isStrict = true,
): Record<string, unknown> {
  const strict = isStrict && !tree[AS_GIVEN];
  return Object.fromEntries(
    fields.flatMap(({ name, alias, args, fields: inner }) => {
      if (name === '...') return Object.entries(pick(tree, inner ?? [], errors, path, isStrict));
      const here = [...path, alias];
      if (!(name in tree) && strict)
        throw new QueryError(`Field '${name}' doesn't exist`, 'undefinedField', here);
      const found = resolved(tree[name], args, errors, here);
      return [[alias, inner ? pickAll(found, inner, errors, here, strict) : (found ?? null)]];
    }),
  );
}

function pickAll(
  found: unknown,
  fields: readonly Field[],
  errors: QueryError[],
  path: readonly (string | number)[],
  isStrict: boolean,
): unknown {
  if (found === null || found === undefined) return null;
  if (Array.isArray(found))
    return found.map((one, index) => pickAll(one, fields, errors, [...path, index], isStrict));
  return pick(found as Tree, fields, errors, path, isStrict);
}

function resolved(
  value: unknown,
  args: Readonly<Record<string, unknown>>,
  errors: QueryError[],
  path: readonly (string | number)[],
): unknown {
  if (typeof value !== 'function') return value;
  try {
    return value(args);
  } catch (error) {
    if (!(error instanceof QueryError) || error.code !== 'ACCESS_DENIED') throw error;
    errors.push(new QueryError(error.message, error.code, path));
    return null;
  }
}

export interface ListArgs {
  readonly first?: number;
  readonly after?: string | null;
}

/** One page of a list whose keys rise; the cursor is the key of the last row. */
export function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row, index: number) => string,
  { first = 0, after }: ListArgs,
) {
  if (first < 1 || first > 250)
    throw new QueryError('first must be between 1 and 250', 'argumentLiteralsIncompatible');
  const last = after ? Buffer.from(after, 'base64').toString() : null;
  const keyed = rows.map((row, index) => ({ row, key: keyOf(row, index) }));
  const rest = last === null ? keyed : keyed.filter(({ key }) => key > last);
  const page = rest.slice(0, first);
  const end = page.at(-1);
  return {
    nodes: page.map(({ row }) => row),
    pageInfo: {
      hasNextPage: rest.length > page.length,
      endCursor: end ? Buffer.from(end.key).toString('base64') : null,
    },
  };
}
