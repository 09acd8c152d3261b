import type { z } from 'zod';
import type { CursorMaker } from '../../platform/cursor.ts';
import { fail, invalid } from '../../platform/failure.ts';
import type { Given } from '../../platform/input-fields.ts';
import { partOf } from './parts.ts';
import { tokensAtMost } from './tokens.ts';
import { paginationOf, type Tool, type ToolCall, type Written } from './tool.ts';

type AnyTool = Tool<z.ZodObject, z.ZodObject>;
type Arguments = Readonly<Record<string, unknown>>;

/** A call as it is run, once its cursor is opened. */
interface OpenedCall {
  /** The arguments to run the tool with. For a later part they come from the cursor. */
  readonly given: unknown;
  /** Elements before the part; null = the whole. */
  readonly from: number | null;
}

/** An answer that a model can read whole. */
interface Fitting extends Written {
  readonly hasMore: boolean;
  /** Whether what is left is got with a cursor. */
  readonly hasCursor: boolean;
  /** The keys that say why the answer is empty. */
  readonly reasons: readonly string[];
  readonly part: Omit<ReturnType<typeof partOf>, 'document'> | null;
}

const PART = 'part';
/** Each with how an answer begins it where it says something. */
const REASONS = [
  { key: 'empty_because', text: '"empty_because":"' },
  { key: 'unavailable', text: '"unavailable":[{' },
];
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
  if (kind !== PART) {
    if (isList(tool)) return { given, from: null };
    throw fail('invalid_cursor', { param: 'cursor' });
  }
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

type PartPosition = [string, string, string, Arguments, string | null, number];

function isList(tool: AnyTool): boolean {
  return Object.hasOwn(tool.input.shape, 'fields');
}

/** Runs a tool so that its answer has so many tokens at most: in fewer rows, or in parts. */
export async function runFitting(
  tool: AnyTool,
  call: ToolCall,
  input: Given<z.ZodObject>,
  opened: OpenedCall,
  mostTokens: number,
): Promise<Fitting> {
  let limit = opened.from === null ? Number(input.limit) : 1;
  for (;;) {
    const answer = writtenOf(
      tool,
      await tool.run(call, isList(tool) ? { ...input, limit } : input),
    );
    const size =
      opened.from === null ? sizeOf(answer.written, mostTokens) : Number.POSITIVE_INFINITY;
    if (size <= mostTokens) return fittingOf(answer, null);
    if (!isList(tool) || limit === 1 || answer.rows <= 1)
      return inParts(tool, call, answer, opened, mostTokens);
    limit = Math.max(1, Math.floor((0.95 * answer.rows * mostTokens) / size));
  }
}

function inParts(
  tool: AnyTool,
  { cursors, scope }: ToolCall,
  { written, rows }: Written,
  { given, from }: OpenedCall,
  mostTokens: number,
): Fitting {
  const { cursor = null, fields, ...filters } = (given ?? {}) as Arguments;
  const firstArguments = {
    ...(fields !== undefined && { fields }),
    ...(cursor === null && filters),
  };
  const cursorAt = (end: number) =>
    cursors.make([PART, scope.organizationId, tool.name, firstArguments, cursor, end]);
  const forCursor = tokensAtMost(JSON.stringify(cursorAt(Number.MAX_SAFE_INTEGER)));
  const { document, ...part } = partOf(written, from ?? 0, mostTokens - forCursor);
  const end = part.from + part.shown;
  const outer = document.pagination as { next_cursor: string | null } | undefined;
  const next = end < part.total ? cursorAt(end) : (outer?.next_cursor ?? null);
  document.pagination = paginationOf(next);
  if (Object.hasOwn(document, 'has_more')) document.has_more ||= next !== null;
  return fittingOf({ written: JSON.stringify(document), rows }, part);
}

function writtenOf(tool: AnyTool, answer: object): Written {
  if ('written' in answer) return answer as Written;
  return { written: JSON.stringify(answer), rows: tool.rowsOf(answer as Record<string, unknown>) };
}

/** A token has at least one byte. */
function sizeOf(json: string, enough: number): number {
  const bytes = Buffer.byteLength(json);
  return bytes <= enough ? bytes : tokensAtMost(json);
}

/** In a text of others each quote is escaped, so none reads like these members. */
function fittingOf(answer: Written, part: Fitting['part']): Fitting {
  const { written } = answer;
  const hasCursor = written.includes('"next_cursor":"');
  const hasMore = hasCursor || written.includes('"has_more":true');
  const reasons = REASONS.filter(({ text }) => written.includes(text)).map(({ key }) => key);
  return { ...answer, part, hasCursor, hasMore, reasons };
}
