import type { Output } from '../../client.ts';
import { periodText } from '../../withheld-words.ts';

const MONTH = /^\d{4}-\d{2}$/;

/** What a finding is about: a month in words, or the id of an order, a payout or a movement. */
export function Subject({ subject }: Pick<Output<'findings.list'>['data'][number], 'subject'>) {
  return MONTH.test(subject) ? periodText(subject) : <code title={subject}>{subject}</code>;
}
