import { useMemo } from 'react';
import type { Output } from '../../client.ts';
import { countText, groupText, moneyText } from '../../format.ts';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Money } from '../../parts/Money.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { words } from '../../words.ts';
import type { GROUPS } from './periods.ts';
import { keysBetween } from './presets.ts';
import { salesWords } from './words.ts';

type Summary = Output<'sales.summary'>;

interface CurrencyProps {
  readonly total: Summary['totals'][number];
  /** Of this currency. */
  readonly groups: Summary['groups'];
  readonly period: Summary['period'];
  readonly group: (typeof GROUPS)[number];
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
}

const SHOWN = ['chart', 'table'] as const;

/** The sales in one currency: its figures, and its course as a chart or a table. */
export function Currency({ total, groups, period, group, isTable, onTable }: CurrencyProps) {
  const { currency } = total;
  const { from, to } = period;
  const rows = useMemo(() => {
    const byKey = new Map(groups.map((one) => [one.key, one]));
    const isOfTwoYears = yearOf(from) !== yearOf(to);
    return keysBetween(from, to, group).map((key) => ({
      key,
      label: groupText(key, group, isOfTwoYears),
      sums: byKey.get(key) ?? null,
    }));
  }, [groups, from, to, group]);
  const points = useMemo(
    () => rows.map(({ label, sums }) => ({ label, value: sums?.gross ?? 0 })),
    [rows],
  );
  const format = useMemo(() => (value: number) => moneyText(value, currency), [currency]);
  return (
    <section className="tile" aria-label={salesWords.in(currency)}>
      <Figures total={total} isDay={from === to} />
      <Tabs
        label={salesWords.show}
        names={SHOWN}
        chosen={isTable ? 'table' : 'chart'}
        wordOf={(name) => salesWords[name]}
        onChoose={(name) => onTable(name === 'table')}
      />
      {isTable ? (
        <FiguresTable
          label={salesWords.course(currency)}
          row={salesWords.groups[group]}
          figures={sumTitles(true)}
        >
          {rows.toReversed().map(({ key, label, sums }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <Sums sums={sums} currency={currency} />
            </tr>
          ))}
        </FiguresTable>
      ) : (
        <Chart title={salesWords.course(currency)} points={points} format={format} />
      )}
    </section>
  );
}

/** The titles of what `Sums` shows. @param hasRefunds whether refunds are known of each row */
export function sumTitles(hasRefunds: boolean): readonly string[] {
  const { gross, net, orders, units } = salesWords;
  return hasRefunds ? [gross, net, orders, units] : [gross, orders, units];
}

type OfOne = Pick<Summary['groups'][number], 'orders' | 'units' | 'gross' | 'net'>;

interface SumsProps {
  /** Null = nothing was sold. */
  readonly sums: OfOne | null;
  readonly currency: string;
  readonly hasRefunds?: boolean;
}

export function Sums({ sums, currency, hasRefunds = true }: SumsProps) {
  const { orders, units, gross, net } = sums ?? { orders: 0, units: 0, gross: 0, net: 0 };
  return (
    <>
      <td className="number">
        <Money amount={gross} currency={currency} />
      </td>
      {hasRefunds && (
        <td className="number">
          <Money amount={net} currency={currency} />
        </td>
      )}
      <td className="number">{countText(orders)}</td>
      <td className="number">{countText(units)}</td>
    </>
  );
}

interface FiguresProps extends Pick<CurrencyProps, 'total'> {
  /** The period is one day. */
  readonly isDay: boolean;
}

function Figures({ total, isDay }: FiguresProps) {
  const { currency, before } = total;
  const isCompared = before.orders > 0 || before.refunds > 0;
  const facts = [
    { name: salesWords.orders, value: countText(total.orders), former: countText(before.orders) },
    { name: salesWords.units, value: countText(total.units), former: countText(before.units) },
    {
      name: salesWords.ticket,
      value: amountText(total.average_ticket, currency),
      former: before.average_ticket === null ? null : moneyText(before.average_ticket, currency),
    },
    {
      name: salesWords.refunds,
      value: moneyText(total.refunds, currency),
      former: moneyText(before.refunds, currency),
    },
    {
      name: salesWords.net,
      value: moneyText(total.net, currency),
      former: moneyText(before.net, currency),
    },
  ];
  return (
    <div className="figures">
      <div>
        <h2>{salesWords.in(currency)}</h2>
        <p className="figure-main">
          <Money amount={total.gross} currency={currency} />
        </p>
        <p>
          <Change percent={total.change} isDay={isDay} />
          {total.change !== null && (
            <span className="faint">
              {' '}
              · {salesWords.former(moneyText(before.gross, currency), isDay)}
            </span>
          )}
        </p>
      </div>
      <dl className="facts">
        {facts.map(({ name, value, former }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
            {isCompared && former !== null && (
              <dd className="faint">{salesWords.former(former, isDay)}</dd>
            )}
          </div>
        ))}
      </dl>
      {(total.cancelled > 0 || total.orders_without_total > 0) && (
        <p className="faint">
          {[
            total.cancelled > 0 && salesWords.cancelled(total.cancelled),
            total.orders_without_total > 0 && salesWords.withoutTotal(total.orders_without_total),
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
      )}
    </div>
  );
}

function Change({ percent, isDay }: { percent: number | null; isDay: boolean }) {
  if (percent === null) return <span className="faint">{salesWords.noChange(isDay)}</span>;
  const tone = percent < 0 ? 'fell' : 'rose';
  return <span className={tone}>{salesWords.change(percent)}</span>;
}

function amountText(amount: number | null, currency: string): string {
  return amount === null ? words.parts.none : moneyText(amount, currency);
}

function yearOf(day: string): string {
  return day.split('-')[0] ?? '';
}
