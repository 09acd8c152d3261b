import { findTool } from './all-tools.ts';
import type { Envelope } from './envelope.ts';
import type { HeaderPairs, Message } from './rpc.ts';
import { withoutTrace } from './trace.ts';

// The SDK validates a call, copies its result and writes it as JSON twice, which takes longer than
// the result takes us. So it is given a mark in the place of the result; what it writes around the
// mark is kept by the shape of the call, and a later call of the same shape is answered without it.
// What that saves is in docs/bench.md.

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
