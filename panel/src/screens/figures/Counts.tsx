import { useMemo, useState } from 'react';
import type { Output } from '../../client.ts';
import { countText, dateText, momentText, timeText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { figuresWords } from './words.ts';

type Slots = Output<'figures.read'>['slots'];

interface CountsProps {
  readonly name: keyof typeof figuresWords.titles;
  readonly slots: Slots;
  readonly span: keyof typeof figuresWords.spans;
}

const SHOWN = ['chart', 'table'] as const;

/** One count over the time, as a chart or a table. */
export function Counts({ name, slots, span }: CountsProps) {
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('chart');
  const timezone = useTimezone();
  const points = useMemo(
    () =>
      slots.map((slot) => ({
        label: shortText(momentText(slot.at, timezone)),
        tick: span === 'day' ? timeText(slot.at, timezone) : dateText(slot.at, timezone),
        value: slot[name],
      })),
    [slots, timezone, name, span],
  );
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const title = `${figuresWords.titles[name]} ${figuresWords.each[span]}`;
  return (
    <section className="tile" aria-label={title}>
      <h2>{title}</h2>
      <p className="faint">{total > 0 ? figuresWords.total(total) : figuresWords.nothing}</p>
      {total > 0 && (
        <>
          <Tabs
            label={figuresWords.show}
            names={SHOWN}
            chosen={shown}
            wordOf={(one) => figuresWords[one]}
            onChoose={setShown}
          />
          {shown === 'chart' ? (
            <Chart title={title} points={points} format={countText} axis={countText} />
          ) : (
            <FiguresTable label={title} row={figuresWords.from} figures={[figuresWords.count]}>
              {points.toReversed().map(({ label, value }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td className="number">{countText(value)}</td>
                </tr>
              ))}
            </FiguresTable>
          )}
        </>
      )}
    </section>
  );
}

/** «23 nov, 3:00 p.m.» */
function shortText(moment: string): string {
  return moment.replace(/ \d{4},/, ',');
}
