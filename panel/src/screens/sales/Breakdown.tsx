import type { Input, Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useRead } from '../../queries.ts';
import { Sums, sumTitles } from './Currency.tsx';
import { PARTS } from './periods.ts';
import { salesWords } from './words.ts';

type Part = (typeof PARTS)[number];

interface BreakdownProps {
  readonly query: Pick<Input<'sales.summary'>, 'from' | 'to' | 'marketplace'>;
  readonly part: Part;
  readonly onPart: (part: Part) => void;
}

/** The same sales by marketplace or by product, the currencies apart. */
export function Breakdown({ query, part, onPart }: BreakdownProps) {
  const { data, error, refetch } = useRead('sales.summary', { ...query, group_by: part });
  return (
    <section className="tile" aria-labelledby="breakdown">
      <h2 id="breakdown" className="unseen">
        {salesWords.parts[part]}
      </h2>
      <Tabs
        label={salesWords.show}
        names={PARTS}
        chosen={part}
        wordOf={(name) => salesWords.parts[name]}
        onChoose={onPart}
      />
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost" />}
      {data && <Groups groups={data.groups} part={part} />}
      {data?.has_more && <p className="faint">{salesWords.firstOnly(data.groups.length)}</p>}
      {part === 'product' && <p className="faint">{salesWords.productNote}</p>}
    </section>
  );
}

function Groups({ groups, part }: { groups: Output<'sales.summary'>['groups']; part: Part }) {
  const { nameOf } = useServices();
  // A refund names its order, and seldom its products.
  const hasRefunds = part !== 'product';
  const bestFirst = groups.toSorted(
    (one, other) => one.currency.localeCompare(other.currency) || other.gross - one.gross,
  );
  return (
    <FiguresTable
      label={salesWords.parts[part]}
      row={salesWords.columns[part]}
      figures={sumTitles(hasRefunds)}
    >
      {bestFirst.map(({ key, title, currency, ...sums }) => (
        <tr key={`${key} ${currency}`}>
          <th scope="row" title={title ?? undefined}>
            {part === 'marketplace' ? (
              <ServiceMark name={nameOf(key)} />
            ) : (
              <>
                {title ?? key}{' '}
                {title !== null && title !== key && <code className="faint">{key}</code>}
              </>
            )}
          </th>
          <Sums sums={sums} currency={currency} hasRefunds={hasRefunds} />
        </tr>
      ))}
    </FiguresTable>
  );
}
