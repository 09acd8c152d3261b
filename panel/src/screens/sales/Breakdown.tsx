import type { Input, Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Money } from '../../parts/Money.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
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
      {data && (
        <Groups groups={data.groups} part={part} isDay={data.period.from === data.period.to} />
      )}
      {data?.has_more && <p className="faint">{salesWords.firstOnly(data.groups.length)}</p>}
      {part === 'product' && <p className="faint">{salesWords.productNote}</p>}
    </section>
  );
}

interface GroupsProps {
  readonly groups: Output<'sales.summary'>['groups'];
  readonly part: Part;
  /** The period is one day. */
  readonly isDay: boolean;
}

function Groups({ groups, part, isDay }: GroupsProps) {
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
      figures={[...sumTitles(hasRefunds), salesWords.before(isDay)]}
    >
      {bestFirst.map(({ key, title, currency, before, ...sums }) => (
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
          <Before before={before} currency={currency} />
        </tr>
      ))}
    </FiguresTable>
  );
}

interface BeforeProps {
  readonly before: GroupsProps['groups'][number]['before'];
  readonly currency: string;
}

/** What was sold in the period before, and the change since then. */
function Before({ before, currency }: BeforeProps) {
  if (!before) return <td className="number faint">{words.parts.none}</td>;
  const { gross, change } = before;
  return (
    <td className="number">
      <Money amount={gross} currency={currency} />
      {change !== null && (
        <>
          {' '}
          <span className={change < 0 ? 'fell' : 'rose'}>{salesWords.change(change)}</span>
        </>
      )}
    </td>
  );
}
