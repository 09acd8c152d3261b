import { useMemo } from 'react';
import type { Output } from '../../client.ts';
import { countText, timeText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { Chart } from '../../parts/Chart.tsx';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { type UsageView, VIEWS } from './search.ts';
import { usageWords } from './words.ts';

type Usage = Output<'usage.read'>;
type Span = keyof typeof usageWords.spans;

interface CourseProps {
  readonly usage: Usage;
  readonly span: Span;
  readonly view: UsageView;
  readonly onView: (view: UsageView) => void;
}

/** The requests over the time, as a chart or a table, with their sums. */
export function Course({ usage, span, view, onView }: CourseProps) {
  const { slots, peak } = usage;
  const timezone = useTimezone();
  const isRefused = view === 'refused';
  const points = useMemo(
    () =>
      slots.map(({ at, admitted, refused }) => ({
        label: timeText(at, timezone),
        value: isRefused ? refused : admitted,
      })),
    [slots, timezone, isRefused],
  );
  const sum = (name: 'admitted' | 'refused') => slots.reduce((all, slot) => all + slot[name], 0);
  const refused = sum('refused');
  return (
    <section className="tile" aria-label={usageWords.spans[span]}>
      <dl className="facts">
        <div>
          <dt>{usageWords.admitted}</dt>
          <dd>{countText(sum('admitted'))}</dd>
        </div>
        <div>
          <dt>{usageWords.refused}</dt>
          <dd>{countText(refused)}</dd>
        </div>
        {peak && (
          <div>
            <dt>{usageWords.peak}</dt>
            <dd>{countText(peak.admitted)}</dd>
            <dd className="faint">{usageWords.peakAt(timeText(peak.at, timezone))}</dd>
          </div>
        )}
      </dl>
      {refused > 0 && <p className="notice">{usageWords.advice(refused)}</p>}
      <Tabs
        label={usageWords.show}
        names={VIEWS}
        chosen={view}
        wordOf={(name) => usageWords.views[name]}
        onChoose={onView}
      />
      {view === 'table' ? (
        <SlotTable slots={slots} span={span} />
      ) : (
        <Chart
          title={usageWords[isRefused ? 'refusedCourse' : 'course'][span]}
          points={points}
          format={countText}
          axis={countText}
        />
      )}
    </section>
  );
}

/** The newest first. */
function SlotTable({ slots, span }: { slots: Usage['slots']; span: Span }) {
  const timezone = useTimezone();
  return (
    <FiguresTable
      label={usageWords.course[span]}
      row={usageWords.time[span]}
      figures={[usageWords.admitted, usageWords.refused]}
    >
      {slots.toReversed().map(({ at, admitted, refused }) => (
        <tr key={at}>
          <th scope="row">{timeText(at, timezone)}</th>
          <td className="number">{countText(admitted)}</td>
          <td className="number">{countText(refused)}</td>
        </tr>
      ))}
    </FiguresTable>
  );
}
