import { AccountName } from '../../parts/AccountName.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { useServices } from '../../parts/use-services.ts';
import { DayOf } from '../../parts/When.tsx';
import { useList, useRead } from '../../queries.ts';
import { withheldWords } from '../../withheld-words.ts';
import { words } from '../../words.ts';
import { Amounts } from './Amounts.tsx';
import './withheld.css';

interface SumProps {
  readonly period: string;
  readonly marketplace: Marketplace;
}
type List = ReturnType<typeof useList<'withheld.lines'>>;
type Line = List['rows'][number];
type Marketplace = Parameters<typeof useList<'withheld.lines'>>[1]['marketplace'];

interface LinesProps extends SumProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A button that shows the orders of a marketplace's sum, and hides them. */
export function Lines({ isOpen, onToggle, ...sum }: LinesProps) {
  const { nameOf } = useServices();
  return (
    <>
      <button type="button" className="link-button" aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? withheldWords.hide : withheldWords.detail}{' '}
        <span className="unseen">{withheldWords.of(nameOf(sum.marketplace))}</span>
      </button>
      {isOpen && <OpenLines {...sum} />}
    </>
  );
}

function OpenLines({ period, marketplace }: SumProps) {
  const list = useList('withheld.lines', { period, marketplace });
  const hasSeveral = useHasSeveral(marketplace, list.rows);
  const failed = list.failure && <FailureNote failure={list.failure} onAgain={list.again} />;
  if (!list.first) return failed ?? <p role="status">{words.parts.loading}</p>;
  if (list.rows.length === 0) return <p className="faint">{withheldWords.noLines}</p>;
  return (
    <>
      <ul className="items">
        {list.rows.map((line) => (
          <OneLine
            key={`${line.account_id} ${line.order_id} ${line.native_type}`}
            line={line}
            marketplace={marketplace}
            hasAccount={hasSeveral}
          />
        ))}
      </ul>
      {failed}
      <p className="acts">
        {list.hasMore && !failed && (
          <button type="button" className="button quiet" onClick={list.loadMore}>
            {withheldWords.more}
          </button>
        )}
        <ExportLink of="withheld_lines" marketplaces={marketplace} days={daysOf(period)} />
      </p>
    </>
  );
}

interface OneLineProps {
  readonly line: Line;
  readonly marketplace: Marketplace;
  readonly hasAccount: boolean;
}

function OneLine({ line, marketplace, hasAccount }: OneLineProps) {
  const { order_id, account_id, native_type, last_at, total } = line;
  return (
    <li>
      <div>
        {order_id === null ? (
          <span>
            <strong>{withheldWords.noOrder}</strong> <code className="faint">{native_type}</code>
          </span>
        ) : (
          <OrderLink order={{ order_id, marketplace, account_id }} />
        )}
        <span className="faint">
          <DayOf at={last_at} />
          {hasAccount && (
            <>
              {' · '}
              <AccountName service={marketplace} id={account_id} />
            </>
          )}
        </span>
        <Amounts amounts={withheldWords.taxes(line)} />
      </div>
      <div className="number">
        <Money amount={total} currency="MXN" />
      </div>
    </li>
  );
}

/** Whether the marketplace has several accounts, connected or not. */
function useHasSeveral(marketplace: Marketplace, lines: readonly Line[]): boolean {
  const { data } = useRead('connections.list', {});
  const known = (data?.data ?? []).filter(({ service }) => service === marketplace);
  const ids = [...known, ...lines].map(({ account_id }) => account_id);
  return new Set(ids).size > 1;
}

/** Its first and its last day. */
function daysOf(period: string) {
  const [first = period, last = first] = period.split('/');
  const [year, month] = last.split('-').map(Number);
  const days = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  return { desde: `${first}-01`, hasta: `${last}-${days}` };
}
