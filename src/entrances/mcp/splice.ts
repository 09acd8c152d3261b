import type { CallToolResult } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';

/** Where a tool's answer waits until the SDK has written everything around it. */
export interface Splice {
  json: string | null;
}

/** Stands for the answer while the SDK handles it; nobody outside can know it. */
const MARK = newId();
/** The text comes before the structure. */
const MARKS = new RegExp(`"${MARK}"(?!:)|\\{"${MARK}":true\\}`);

/**
 * A result with a mark in the place of the answer. The SDK checks and copies what it is given, and writes it as JSON
 * twice over; an answer that is text already is put in afterwards.
 */
export function spliced(splice: Splice, json: string): CallToolResult {
  splice.json = json;
  return { content: [{ type: 'text', text: MARK }], structuredContent: { [MARK]: true } };
}

/** What the SDK wrote, with the answer in both places: the JSON as text, and the same as a structure. As it is sent. */
export function withAnswer(body: string, { json }: Splice): Buffer {
  if (json === null) return Buffer.from(body);
  const [before = '', between = '', after = ''] = body.split(MARKS);
  return Buffer.from(before + JSON.stringify(json) + between + json + after);
}
