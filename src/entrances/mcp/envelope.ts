import type { CallToolResult } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';
import type { Answered } from './call.ts';

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
