import type { z } from 'zod';
import type { Given } from '../../platform/input-fields.ts';
import { type OpenedCall, partCursors } from './part-cursor.ts';
import { partOf } from './parts.ts';
import { tokensAtMost } from './tokens.ts';
import { type AnyTool, isList, paginationOf, type ToolCall, type Written } from './tool.ts';

/** An answer that a model can read whole. */
interface Fitting extends Written {
  readonly hasMore: boolean;
  /** Whether what is left is got with a cursor. */
  readonly hasCursor: boolean;
  /** The keys that say why the answer is empty. */
  readonly reasons: readonly string[];
  readonly part: Omit<ReturnType<typeof partOf>, 'document'> | null;
}

/** Each with how an answer begins it where it says something. */
const REASONS = [
  { key: 'empty_because', text: '"empty_because":"' },
  { key: 'unavailable', text: '"unavailable":[{' },
];

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
  const cursorAt = partCursors(cursors, scope.organizationId, tool, given);
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
