import { useMemo, useState } from 'react';
import type { Output } from '../../client.ts';
import { dateText, momentText, moneyText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { words } from '../../words.ts';
import { useTable } from './use-table.ts';
import { figuresWords } from './words.ts';

type Moment = Output<'figures.read'>['balances'][number];

const AMOUNTS = ['balance', 'available', 'credit_limit'] as const;
const SHOWN = [...AMOUNTS, 'table'] as const;

/** The prepaid accounts of carriers over the last month. */
export function Balances({ moments }: { moments: readonly Moment[] }) {
  const accounts = Map.groupBy(
    moments,
    ({ service, account_id, currency }) => `${service} ${account_id} ${currency}`,
  );
  return [...accounts].map(([key, of]) => <Account key={key} name={key} moments={of} />);
}

/** @param name in the address @param moments of one account, the newest first */
function Account({ name: key, moments }: { name: string; moments: readonly Moment[] }) {
  const [isTable, setTable] = useTable(key);
  const [amount, setAmount] = useState<(typeof AMOUNTS)[number]>('available');
  const shown = isTable ? 'table' : amount;
  const timezone = useTimezone();
  const { service, name, account_id, currency } = moments[0] as Moment;
  const { accountOf } = useServices();
  const format = useMemo(() => (value: number) => moneyText(value, currency), [currency]);
  const points = useMemo(
    () =>
      moments.toReversed().flatMap((moment) => {
        const value = moment[amount];
        const at = { label: momentText(moment.at, timezone), tick: dateText(moment.at, timezone) };
        return value === null ? [] : [{ ...at, value }];
      }),
    [moments, timezone, amount],
  );
  const title = figuresWords.balances(name, accountOf(service, account_id));
  return (
    <section className="tile tile-wide" aria-label={title}>
      <h2>{title}</h2>
      <p className="faint">{figuresWords.balancesNote}</p>
      <Tabs
        label={figuresWords.show}
        names={SHOWN}
        chosen={shown}
        wordOf={(one) => (one === 'table' ? figuresWords.table : figuresWords.amounts[one])}
        onChoose={(one) => {
          setTable(one === 'table');
          if (one !== 'table') setAmount(one);
        }}
      />
      {shown === 'table' ? (
        <MomentTable moments={moments} title={title} />
      ) : (
        <Chart title={`${figuresWords.amounts[shown]}: ${title}`} points={points} format={format} />
      )}
    </section>
  );
}

function MomentTable({ moments, title }: { moments: readonly Moment[]; title: string }) {
  const timezone = useTimezone();
  return (
    <FiguresTable
      label={title}
      row={figuresWords.at}
      figures={AMOUNTS.map((name) => figuresWords.amounts[name])}
    >
      {moments.map((moment) => (
        <tr key={moment.at}>
          <th scope="row">{momentText(moment.at, timezone)}</th>
          {AMOUNTS.map((name) => (
            <td key={name} className="number">
              {moment[name] === null ? words.parts.none : moneyText(moment[name], moment.currency)}
            </td>
          ))}
        </tr>
      ))}
    </FiguresTable>
  );
}
