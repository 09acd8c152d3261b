import { type Finding, findingWords } from '../../finding-words.ts';
import { periodText } from '../../withheld-words.ts';

/** A month, with its currency where that is not pesos. */
const MONTH = /^(\d{4}-\d{2})(?: [A-Z]{3})?$/;

/** What a finding is about: a month in words, a movement, or the id of an order or a payout. */
export function Subject({ kind, subject }: Pick<Finding, 'kind' | 'subject'>) {
  const [, month] = MONTH.exec(subject) ?? [];
  if (month) return periodText(month);
  if (kind !== 'movement_without_order') return <code title={subject}>{subject}</code>;
  // The report, then the movement's key in it, which begins with the marketplace's own id.
  const [, id = subject] = subject.split(' ');
  return (
    <span>
      {findingWords.movement} <code title={subject}>{id}</code>
    </span>
  );
}
