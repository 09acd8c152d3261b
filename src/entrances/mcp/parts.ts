import { isRawNumber, parseLossless } from '../../platform/json.ts';
import { tokensAtMost } from './tokens.ts';

/** A part of an answer that is too large as a whole. */
interface Part {
  readonly document: Document;
  /** Elements of its lists before this part, in it, and in the whole. */
  readonly from: number;
  readonly shown: number;
  readonly total: number;
  /** Whether long texts were clipped, since one element alone was too large. */
  readonly isClipped: boolean;
}

type Document = Record<string, unknown>;

const LONGEST_TEXT = 200;

/**
 * The elements of an answer's lists from a position on, as many as fit: of its rows, or of the lists
 * in its one row. What is no list is in every part.
 * @param json an object with `data`
 */
export function partOf(json: string, from: number, mostTokens: number): Part {
  const document = parseLossless(json) as Document;
  const whole = cut(document, from, mostTokens);
  if (whole) return { ...whole, isClipped: false };
  const clipped = cut(clip(parseLossless(json)) as Document, from, mostTokens);
  if (!clipped) throw new Error('one element of an answer is larger than an answer may be');
  return { ...clipped, isClipped: true };
}

/** Null when there is something to show, and not even one element fits. */
function cut(document: Document, from: number, most: number): Omit<Part, 'isClipped'> | null {
  const lists = listsOf(document);
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  const elements = lists.map((list) => list.splice(0));
  let left = most - tokensAtMost(JSON.stringify(document));
  let shown = 0;
  let passed = 0;
  for (const [which, list] of elements.entries())
    for (const element of list) {
      if (passed++ < from) continue;
      left -= tokensAtMost(JSON.stringify(element)) + 1;
      if (left < 0) return shown === 0 ? null : { document, from, shown, total };
      lists[which]?.push(element);
      shown++;
    }
  return left < 0 ? null : { document, from, shown, total };
}

function listsOf({ data }: Document): unknown[][] {
  if (Array.isArray(data) && data.length !== 1) return [data];
  const found: unknown[][] = [];
  const waiting: unknown[] = [Array.isArray(data) ? data[0] : data];
  while (waiting.length > 0)
    for (const value of Object.values(waiting.shift() as object))
      if (Array.isArray(value)) found.push(value);
      else if (typeof value === 'object' && value !== null && !isRawNumber(value))
        waiting.push(value);
  return found;
}

/** @param member the name of the member; identifiers stay whole, since calls are made with them */
function clip(value: unknown, member = ''): unknown {
  if (typeof value === 'string')
    return value.length <= LONGEST_TEXT || /(^|_)(id|cursor)$/.test(member)
      ? value
      : `${value.slice(0, LONGEST_TEXT).toWellFormed()}…`;
  if (Array.isArray(value)) return value.map((each) => clip(each));
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clip(each, name)]));
}
