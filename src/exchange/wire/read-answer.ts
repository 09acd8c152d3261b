import type { ZodError, ZodType } from 'zod';
import { documentOf } from '../../connectors/answer-document.ts';
import type { WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';

/** @throws UpstreamError unreadable, with the path of the first wrong field */
export function parse<T>(slug: string, answer: WireAnswer, schema: ZodType<T>, path: string): T {
  const parsed = schema.safeParse(documentOf(answer));
  if (parsed.success) return parsed.data;
  throw new UpstreamError('unreadable', slug, `${path}: ${firstFault(parsed.error)}`, {
    status: answer.status,
  });
}

/**
 * @param isDocument it must be JSON, whatever its headers say
 * @throws SyntaxError where a body must be JSON, or says that it is, and is not
 */
export function assertWhole(answer: WireAnswer, isDocument: boolean): void {
  const saysJson = answer.body !== '' && answer.headers['content-type']?.includes('json');
  if (isDocument || saysJson) documentOf(answer);
}

/** The path of the first wrong field and what is wrong with it. */
function firstFault(error: ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : 'unknown';
}
