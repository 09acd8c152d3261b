import type { CursorMaker } from '../../platform/cursor.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { type AnyTool, isList } from './tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A call as it is run, once its cursor is opened. */
export interface OpenedCall {
  /** The arguments to run the tool with. For a later part they come from the cursor. */
  readonly given: unknown;
  /** Elements before the part; null = the whole. */
  readonly from: number | null;
}

const PART = 'part';
type PartPosition = [string, string, string, Arguments, string | null, number];
/** Cursors repeat the arguments, and are read, too. */
const MOST_ARGUMENT_BYTES = 4_000;
const LONGEST_CURSOR = 12_000;

/**
 * What a call asks for, once a cursor within an answer is opened.
 * @throws Failure invalid_cursor, invalid_request
 */
export function openPart(
  cursors: CursorMaker,
  organizationId: string,
  tool: AnyTool,
  given: unknown,
): OpenedCall {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { given, from: null };
  const { cursor, ...others } = given as Arguments;
  if (cursor === undefined || cursor === null) return { given, from: null };
  if (typeof cursor !== 'string' || cursor.length > LONGEST_CURSOR)
    throw fail('invalid_cursor', { param: 'cursor' });
  const [kind, owner, name, firstArguments, at, from] = cursors.open(cursor) as PartPosition;
  if (kind !== PART && isList(tool)) return { given, from: null };
  if (kind !== PART) throw fail('invalid_cursor', { param: 'cursor' });
  // The filters of a later page are in its own cursor, which holds the call against them.
  const isSame = Object.entries(others).every(
    ([key, value]) =>
      key === 'limit' ||
      (at !== null && key !== 'fields') ||
      JSON.stringify(firstArguments[key]) === JSON.stringify(value),
  );
  if (owner !== organizationId || name !== tool.name || !isSame)
    throw fail('invalid_cursor', { param: 'cursor' });
  return { given: { ...others, ...firstArguments, ...(at !== null && { cursor: at }) }, from };
}

/** Of a call whose arguments are right each by itself. @throws Failure invalid_request */
export function checkTogether(given: unknown): void {
  const { cursor: _, ...others } = (given ?? {}) as Arguments;
  if (Buffer.byteLength(JSON.stringify(others)) > MOST_ARGUMENT_BYTES)
    throw invalid(
      'arguments',
      `Los argumentos juntos admiten hasta ${MOST_ARGUMENT_BYTES} bytes. Pide menos valores por llamada.`,
    );
}

/** Makes the cursor of each later part of an answer. @param given the arguments of the call */
export function partCursors(
  cursors: CursorMaker,
  organizationId: string,
  tool: AnyTool,
  given: unknown,
): (from: number) => string {
  const { cursor = null, fields, ...filters } = (given ?? {}) as Arguments;
  const firstArguments = {
    ...(fields !== undefined && { fields }),
    ...(cursor === null && filters),
  };
  return (from) => cursors.make([PART, organizationId, tool.name, firstArguments, cursor, from]);
}
