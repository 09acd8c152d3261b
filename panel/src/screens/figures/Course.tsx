import type { ComponentProps } from 'react';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useTable } from './use-table.ts';
import { figuresWords } from './words.ts';

interface CourseProps extends ComponentProps<typeof Chart> {
  /** In the address. */
  readonly name: string;
  /** The title of the table's column. */
  readonly figure: string;
}

const SHOWN = ['chart', 'table'] as const;

/** A figure over the time, as a chart or as a table, the newest first. */
export function Course({ name, figure, ...chart }: CourseProps) {
  const { title, points, format } = chart;
  const [isTable, setTable] = useTable(name);
  return (
    <>
      <Tabs
        label={figuresWords.show}
        names={SHOWN}
        chosen={isTable ? 'table' : 'chart'}
        wordOf={(one) => figuresWords[one]}
        onChoose={(one) => setTable(one === 'table')}
      />
      {isTable ? (
        <FiguresTable label={title} row={figuresWords.from} figures={[figure]}>
          {points.toReversed().map(({ label, value }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="number">{format(value)}</td>
            </tr>
          ))}
        </FiguresTable>
      ) : (
        <Chart {...chart} />
      )}
    </>
  );
}
