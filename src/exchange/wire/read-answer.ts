import type { ZodError, ZodType } from 'zod';
import { documentOf } from '../../connectors/answer-document.ts';
import type { WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { Outcome } from './call-state.ts';

/**
 * Reads an answer. A body that is cut short or not JSON is a failed transfer, and the request is
 * sent again; well-formed JSON of another shape is not.
 */
export function readAnswer<T>(
  slug: string,
  answer: WireAnswer,
  read: (answer: WireAnswer) => T,
): Outcome<T> {
  try {
    return { value: read(answer) };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const { status } = answer;
    const details = { status, cause };
    return {
      error: new UpstreamError('unreadable', slug, 'the body is not JSON', details),
      wait: null,
    };
  }
}

/** @throws UpstreamError unreadable, with the path of the first wrong field */
export function parse<T>(slug: string, answer: WireAnswer, schema: ZodType<T>, path: string): T {
  const parsed = schema.safeParse(documentOf(answer));
  if (parsed.success) return parsed.data;
  throw new UpstreamError('unreadable', slug, `${path}: ${firstFault(parsed.error)}`, {
    status: answer.status,
  });
}

/** @throws SyntaxError where a body says that it is JSON and is not */
export function assertWhole(answer: WireAnswer): WireAnswer {
  if (answer.body !== '' && answer.headers['content-type']?.includes('json')) documentOf(answer);
  return answer;
}

/** The path of the first wrong field and what is wrong with it. */
function firstFault(error: ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : 'unknown';
}
