import type { WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';

/**
 * The most that one step of work may request and receive: a page of a stream with all that belongs
 * to it, one thing, or a list of webhooks.
 */
export interface Budget {
  /** Before each call. @throws UpstreamError endless */
  ask(): void;
  /** Before an answer is read. @throws UpstreamError endless */
  take(answer: Pick<WireAnswer, 'body'>): void;
}

const MOST_CALLS = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Values of one answer; in memory they take many times their bytes. */
const MOST_VALUES = 1_000_000;

export function openBudget(slug: string): Budget {
  let calls = 0;
  let bytes = 0;

  return {
    ask() {
      if (bytes > MOST_BYTES)
        throw new UpstreamError('endless', slug, `more than ${MOST_BYTES} bytes for one step`);
      calls += 1;
      if (calls > MOST_CALLS)
        throw new UpstreamError('endless', slug, `more than ${MOST_CALLS} calls for one step`);
    },

    take({ body }) {
      bytes += body.length;
      if (bytes > MOST_BYTES)
        throw new UpstreamError('endless', slug, `more than ${MOST_BYTES} bytes for one step`);
    },
  };
}

/**
 * Counts the commas of a JSON text, also those inside strings: an upper bound that real answers
 * stay far below.
 * @throws UpstreamError too_large
 */
export function assertFewValues({ body }: Pick<WireAnswer, 'body'>, slug: string): void {
  if (body.length < MOST_VALUES || !/^\s{0,100}[[{]/.test(body)) return;
  let values = 0;
  for (
    let at = body.indexOf(',');
    at !== -1 && values <= MOST_VALUES;
    at = body.indexOf(',', at + 1)
  )
    values += 1;
  if (values > MOST_VALUES)
    throw new UpstreamError('too_large', slug, `the answer has more than ${MOST_VALUES} values`);
}
