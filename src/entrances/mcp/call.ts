import type { CallToolResult } from '@modelcontextprotocol/server';
import { CARRIERS } from '../../carriers/contract.ts';
import { MARKETPLACES } from '../../connectors/contract.ts';
import type { FreshnessMemory } from '../../features/connections/index.ts';
import type { AgentAccess, CallRecorder } from '../../features/grants/index.ts';
import type { ClockCache } from '../../features/orders/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { Database } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Operator } from '../../platform/operator.ts';
import { formatMicros } from '../../platform/time.ts';
import { asFailure, isOfLeaving, sentenceFor } from '../http.ts';
import { readInput } from '../inputs.ts';
import { findTool } from './all-tools.ts';
import { completed } from './answer.ts';
import { runFitting } from './fitting.ts';
import { freshnessNotes } from './freshness-notes.ts';
import { headingOf } from './heading.ts';
import { checkTogether, openPart } from './part-cursor.ts';
import { MOST_TOKENS } from './tokens.ts';
import type { AnyTool } from './tool.ts';

/** What tools are called with. */
export interface CallParts {
  readonly database: Database;
  readonly cursors: CursorMaker;
  readonly publicUrl: () => string;
  readonly clocks: ClockCache;
  readonly clock: Clock;
  readonly freshness: FreshnessMemory;
  readonly recorder: CallRecorder;
  readonly log: Log;
}

/** One request of an authenticated agent. */
export interface AgentRequest {
  readonly access: AgentAccess;
  readonly requestId: string;
  readonly operator: Operator;
  readonly signal: AbortSignal;
  readonly traceparent: string | null;
}

/** What a model reads: a line in Spanish, and the JSON of an object. */
export interface Answered {
  readonly heading: string;
  readonly json: string;
}

/** What a call came to: the answer as text after its heading, or a sentence for the model to repair the call by. */
type Outcome = Answered | { readonly refusal: CallToolResult };

/** Runs a tool, and notes who called it. */
export async function callTool(
  parts: CallParts,
  request: AgentRequest,
  name: string,
  given: unknown,
): Promise<Outcome> {
  const tool = findTool(name);
  if (!tool) throw new Error('a tool was called that does not exist');
  const began = parts.clock.monotonic();
  const note = (rows: number, outcome: string) =>
    parts.recorder.record({
      organizationId: request.access.organization.id,
      grantId: request.access.grantId,
      personId: request.access.personId,
      clientId: request.access.clientId,
      tool: tool.name,
      at: parts.clock.now(),
      milliseconds: Math.round(parts.clock.monotonic() - began),
      rows,
      outcome,
    });
  try {
    const { rows, ...answer } = await run(parts, request, tool, given);
    note(rows, 'ok');
    return answer;
  } catch (error) {
    const failure = asFailure(error);
    note(0, failure.code);
    if (isOfLeaving(request.signal, failure))
      parts.log.info({ request: request.requestId, tool: tool.name }, 'tool: the caller left');
    else if (!(error instanceof Failure))
      parts.log.error(failed(request, tool.name, error), 'tool failed');
    return { refusal: refusalOf(failure, request) };
  }
}

function failed({ requestId, traceparent }: AgentRequest, tool: string, err: unknown) {
  return { request: requestId, ...(traceparent && { traceparent }), tool, err };
}

async function run(
  { database, cursors, publicUrl, clocks, clock, freshness }: CallParts,
  { access, requestId, operator, signal }: AgentRequest,
  tool: AnyTool,
  given: unknown,
): Promise<Answered & { rows: number }> {
  const organizationId = access.organization.id;
  const opened = openPart(cursors, organizationId, tool, given);
  const input = readInput('argument', tool.input, opened.given);
  checkTogether(given);
  // Outside of the reader: a miss of the cache opens a reader of its own.
  const known = await clocks.get(organizationId);
  const asOf = formatMicros(clock.now());
  const { read, list } = database.within(organizationId);
  return (tool.mayLag ? list : read)(
    async (scope) => {
      const call = { scope, access, operator, cursors, publicUrl, clock: known, asOf, signal };
      const accounts = await freshness.get(scope, tool.stream ?? null);
      const { stale, listed } = freshnessNotes(accounts, namedIn(input));
      const ownKeys = Object.keys(tool.output.shape);
      const everyAnswer = { asOf, requestId, ownKeys, freshness: listed };
      const headingParts = { tool: tool.name, counted: tool.counted, stale };
      const overhead = completed('{}', everyAnswer) + headingOf({ ...headingParts, ...LARGEST });
      const mostTokens = MOST_TOKENS - Buffer.byteLength(overhead);
      const { written, ...fitting } = await runFitting(tool, call, input, opened, mostTokens);
      const heading = headingOf({ ...headingParts, ...fitting });
      return { heading, json: completed(written, everyAnswer), rows: fitting.rows };
    },
    { signal },
  );
}

/** What makes the longest heading. */
const LARGEST = {
  rows: 1e6,
  hasMore: true,
  hasCursor: true,
  reasons: [],
  part: { from: 1e6, shown: 1e6, total: 1e6, isClipped: true },
};

/** The services that a call is about; none = all. */
function namedIn(input: {
  readonly marketplace?: unknown;
  readonly carrier?: unknown;
  readonly includeCarriers?: unknown;
}): readonly string[] {
  const marketplaces = [input.marketplace ?? []].flat() as string[];
  if (typeof input.carrier === 'string') return [input.carrier];
  if (marketplaces.length === 0) return input.includeCarriers === false ? MARKETPLACES : [];
  return input.includeCarriers === true ? [...marketplaces, ...CARRIERS] : marketplaces;
}

/** No `structuredContent`: clients would hold it against the schema of an answer. */
function refusalOf(failure: Failure, { requestId, operator }: AgentRequest): CallToolResult {
  const { code, details } = failure;
  const message = sentenceFor(failure, { operator });
  const error = { code, message, ...(details && { details }) };
  const text = JSON.stringify({ error, meta: { request_id: requestId } });
  return {
    isError: true,
    content: [
      { type: 'text', text: message },
      { type: 'text', text },
    ],
  };
}
