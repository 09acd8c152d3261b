import type { HeaderPairs, Message } from './rpc.ts';
import type { Frame } from './splice.ts';
import { findTool } from './table.ts';

/**
 * The frames that the SDK has written, by the manner of the calls that it wrote them for. Judging a
 * call and writing its frame takes it longer than the answer takes us, and a client calls in the
 * same manner every time.
 */
interface Frames {
  /**
   * The frame of calls in this manner, for a call with this id; null = the SDK has not judged one
   * yet.
   */
  find(manner: string, id: Message['id']): Frame | null;
  learn(manner: string, id: Message['id'], frame: Frame): void;
}

const MOST_FRAMES = 500;
const LONGEST_MANNER = 4_096;

export function rememberFrames(): Frames {
  const known = new Map<string, Frame>();
  return {
    find(manner, id) {
      const frame = known.get(manner);
      return frame ? { ...frame, after: frame.after + endOf(id) } : null;
    },
    learn(manner, id, frame) {
      if (!frame.after.endsWith(endOf(id))) return;
      const [oldest] = known.keys();
      if (known.size >= MOST_FRAMES && oldest !== undefined) known.delete(oldest);
      known.set(manner, { ...frame, after: frame.after.slice(0, -endOf(id).length) });
    },
  };
}

function endOf(id: Message['id']): string {
  return `"id":${JSON.stringify(id)}}`;
}

/**
 * All that the SDK looks at before it lets a call of a tool through, as one text: calls with the
 * same differ in their id, their tool and its arguments alone. Null = not a call, or one that only
 * the SDK can judge.
 */
export function mannerOf(headers: HeaderPairs, { id, whole }: Message): string | null {
  const { id: _, params, ...about } = whole as Record<string, unknown>;
  if (about.method !== 'tools/call' || !isObject(params)) return null;
  const { name, arguments: given, ...aboutCall } = params;
  if (typeof name !== 'string' || !findTool(name)) return null;
  if (given !== undefined && !isObject(given)) return null;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  // The one header that repeats something of the call.
  const named = headers.map(([key, value]) => [key, key === 'mcp-name' ? value === name : value]);
  const manner = JSON.stringify([named, about, aboutCall]);
  return manner.length > LONGEST_MANNER ? null : manner;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
