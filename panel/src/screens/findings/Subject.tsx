import { type Finding, findingWords } from '../../finding-words.ts';
import { periodText } from '../../withheld-words.ts';

const MONTH = /^\d{4}-\d{2}$/;

/** What a finding is about: a month in words, a movement, or the id of an order or a payout. */
export function Subject({ kind, subject }: Pick<Finding, 'kind' | 'subject'>) {
  if (MONTH.test(subject)) return periodText(subject);
  if (kind !== 'movement_without_order') return <code title={subject}>{subject}</code>;
  // The report, then the movement's key in it, which begins with the marketplace's own id.
  const [, id = subject] = subject.split(' ');
  return (
    <span>
      {findingWords.movement} <code title={subject}>{id}</code>
    </span>
  );
}
