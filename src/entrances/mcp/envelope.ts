import type { CallToolResult } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';
import { findTool } from './all-tools.ts';
import type { Answered } from './call.ts';
import type { HeaderPairs, Message } from './rpc.ts';
import { withoutTrace } from './trace.ts';

// The SDK validates a call, copies its result and writes it as JSON twice, which takes longer than
// the result takes us. So it is given a mark in the place of the result; what it writes around the
// mark is kept by the shape of the call, and a later call of the same shape is answered without it.
// What that saves is in docs/bench.md.

/** What the SDK writes around a result. */
export interface Envelope {
  readonly before: string;
  /** From the heading to the text. */
  readonly amid: string;
  /** From the text to the structure. */
  readonly between: string;
  readonly after: string;
}

/** In the place of the result while the SDK handles it; no caller can guess it. */
const MARK = newId();
/** In JSON, as a text and as the structure; the texts come first. */
const MARKED_TEXT = JSON.stringify(MARK);
const MARKED_STRUCTURE = JSON.stringify({ [MARK]: true });

/** The result that the SDK is given: a mark in each of its places. */
export function marked(): CallToolResult {
  const text = { type: 'text' as const, text: MARK };
  return { content: [text, { ...text }], structuredContent: { [MARK]: true } };
}

/** What the SDK wrote around the marks; null = there are none in it. */
export function envelopeOf(body: string): Envelope | null {
  const [before, amid, between, after] = body
    .replace(MARKED_STRUCTURE, MARKED_TEXT)
    .split(MARKED_TEXT);
  return before === undefined || amid === undefined || between === undefined || after === undefined
    ? null
    : { before, amid, between, after };
}

/** The response body: the heading, the result's JSON as a text, and again as a structure. */
export function enclosed(
  { before, amid, between, after }: Envelope,
  { heading, json }: Answered,
): Buffer {
  return Buffer.from(
    before + JSON.stringify(heading) + amid + JSON.stringify(json) + between + json + after,
  );
}

/** JSON-RPC response envelopes by the shape of the request. */
interface EnvelopeCache {
  /** The envelope for a call with this id; null = the SDK has not validated this shape yet. */
  find(shape: string, id: Message['id']): Envelope | null;
  learn(shape: string, id: Message['id'], envelope: Envelope): void;
}

const MOST_ENVELOPES = 500;
const LONGEST_SHAPE = 4_096;

export function openEnvelopeCache(): EnvelopeCache {
  const known = new Map<string, Envelope>();
  return {
    find(shape, id) {
      const envelope = known.get(shape);
      return envelope ? { ...envelope, after: envelope.after + endOf(id) } : null;
    },
    learn(shape, id, envelope) {
      if (!envelope.after.endsWith(endOf(id))) return;
      const [oldest] = known.keys();
      if (known.size >= MOST_ENVELOPES && oldest !== undefined) known.delete(oldest);
      known.set(shape, { ...envelope, after: envelope.after.slice(0, -endOf(id).length) });
    },
  };
}

function endOf(id: Message['id']): string {
  return `"id":${JSON.stringify(id)}}`;
}

/**
 * Everything that the SDK validates of a tool call, as one text: calls of one shape differ in their
 * id, tool and arguments only. Null = not a tool call, or one that only the SDK can validate.
 */
export function shapeOf(headers: HeaderPairs, { id, whole }: Message): string | null {
  const { id: _, params, ...about } = whole as Record<string, unknown>;
  if (about.method !== 'tools/call' || !isObject(params)) return null;
  const { name, arguments: given, ...aboutCall } = withoutTrace(params);
  if (typeof name !== 'string' || !findTool(name)) return null;
  if (given !== undefined && !isObject(given)) return null;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  // The one header that repeats a part of the call.
  const named = headers.map(([key, value]) => [key, key === 'mcp-name' ? value === name : value]);
  const shape = JSON.stringify([named, about, aboutCall]);
  return shape.length > LONGEST_SHAPE ? null : shape;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
