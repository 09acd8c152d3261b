import type { CallToolResult } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';
import type { Outcome } from './call.ts';

/** What the SDK writes around an answer. */
export interface Frame {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/** Stands for the answer while the SDK handles it; nobody outside can know it. */
const MARK = newId();
/** The text comes before the structure. */
const MARKS = new RegExp(`"${MARK}"(?!:)|\\{"${MARK}":true\\}`);

/**
 * A result with a mark in the place of the answer. The SDK checks and copies what it is given, and
 * writes it as JSON twice over; an answer that is text already is put in afterwards.
 */
export function marked(outcome: Outcome): CallToolResult {
  if ('refusal' in outcome) return outcome.refusal;
  return { content: [{ type: 'text', text: MARK }], structuredContent: { [MARK]: true } };
}

/** What the SDK wrote around the marks; null = there are none in it. */
export function frameOf(body: string): Frame | null {
  const [before, between, after] = body.split(MARKS);
  return before === undefined || between === undefined || after === undefined
    ? null
    : { before, between, after };
}

/** The answer in both places: the JSON as text, and the same as a structure. As it is sent. */
export function framed({ before, between, after }: Frame, json: string): Buffer {
  return Buffer.from(before + JSON.stringify(json) + between + json + after);
}
