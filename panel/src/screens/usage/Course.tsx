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

interface CourseProps {
  readonly usage: Usage;
  readonly view: UsageView;
  readonly onView: (view: UsageView) => void;
  /** Shows an hour of a day by minute. */
  readonly onHour: (at: string) => void;
}

/** The requests over the time, as a chart or a table, with their sums. */
export function Course({ usage, view, onView, onHour }: CourseProps) {
  const { span, slots, peak } = usage;
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
    <section className="tile" aria-label={usageWords.course[span]}>
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
            <dd className="faint">
              {usageWords.peakAt(timeText(peak.at, timezone))}{' '}
              {span === 'day' && (
                <button
                  type="button"
                  className="link-button"
                  onClick={() => onHour(hourOf(peak.at))}
                >
                  {usageWords.toHour}
                </button>
              )}
            </dd>
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
        <SlotTable usage={usage} onHour={onHour} />
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

/** The beginning of the hour that an instant is in; Mexico's offsets are whole hours. */
function hourOf(at: string): string {
  return `${at.slice(0, 'AAAA-MM-DDTHH'.length)}:00:00.000Z`;
}

/** The newest first. */
function SlotTable({ usage, onHour }: Pick<CourseProps, 'usage' | 'onHour'>) {
  const { slots, span } = usage;
  const timezone = useTimezone();
  return (
    <FiguresTable
      label={usageWords.course[span]}
      row={usageWords.time[span]}
      figures={[usageWords.admitted, usageWords.refused]}
    >
      {slots.toReversed().map(({ at, admitted, refused }) => (
        <tr key={at}>
          <th scope="row">
            {span === 'day' ? (
              <button
                type="button"
                className="link-button"
                title={usageWords.byMinute}
                onClick={() => onHour(hourOf(at))}
              >
                {timeText(at, timezone)}
              </button>
            ) : (
              timeText(at, timezone)
            )}
          </th>
          <td className="number">{countText(admitted)}</td>
          <td className="number">{countText(refused)}</td>
        </tr>
      ))}
    </FiguresTable>
  );
}
