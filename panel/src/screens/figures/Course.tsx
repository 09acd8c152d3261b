import { type ComponentProps, useState } from 'react';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { figuresWords } from './words.ts';

interface CourseProps extends ComponentProps<typeof Chart> {
  /** The title of the table's column. */
  readonly figure: string;
}

const SHOWN = ['chart', 'table'] as const;

/** A figure over the time, as a chart or as a table, the newest first. */
export function Course({ figure, ...chart }: CourseProps) {
  const { title, points, format } = chart;
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('chart');
  return (
    <>
      <Tabs
        label={figuresWords.show}
        names={SHOWN}
        chosen={shown}
        wordOf={(one) => figuresWords[one]}
        onChoose={setShown}
      />
      {shown === 'chart' ? (
        <Chart {...chart} />
      ) : (
        <FiguresTable label={title} row={figuresWords.from} figures={[figure]}>
          {points.toReversed().map(({ label, value }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="number">{format(value)}</td>
            </tr>
          ))}
        </FiguresTable>
      )}
    </>
  );
}
