import { parseLossless } from '../platform/json.ts';
import { withoutMark } from '../platform/text.ts';
import type { WireAnswer } from './contract.ts';

const documents = new WeakMap<object, unknown>();

/**
 * The document of an answer, parsed once and shared; callers must not change it. @throws
 * SyntaxError
 */
export function documentOf(answer: Pick<WireAnswer, 'body'>): unknown {
  if (!documents.has(answer)) documents.set(answer, parseLossless(answer.body));
  return documents.get(answer);
}

/** Sets the document that all readers of this answer get from now on. */
export function setDocument(answer: object, document: unknown): void {
  documents.set(answer, document);
}

/** The document of an answer that may not be JSON; null then. */
export function documentOrNull(answer: Pick<WireAnswer, 'body'>): unknown {
  try {
    return documentOf(answer);
  } catch {
    return null;
  }
}

/** A body that may not be JSON; null then. */
export function parseOrNull(body: string): unknown {
  try {
    return parseLossless(withoutMark(body));
  } catch {
    return null;
  }
}
