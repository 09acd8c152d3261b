import { useMemo } from 'react';
import type { Output } from '../../client.ts';
import { countText, dateText, momentText, timeText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { Course } from './Course.tsx';
import { figuresWords } from './words.ts';

type Slots = Output<'figures.read'>['slots'];

interface CountsProps {
  readonly name: keyof typeof figuresWords.titles;
  readonly slots: Slots;
  readonly span: keyof typeof figuresWords.spans;
}

/** One count over the time, as a chart or a table. */
export function Counts({ name, slots, span }: CountsProps) {
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
        <Course
          name={name}
          title={title}
          points={points}
          figure={figuresWords.count}
          format={countText}
          axis={countText}
        />
      )}
    </section>
  );
}

/** «23 nov, 3:00 p.m.» */
function shortText(moment: string): string {
  return moment.replace(/ \d{4},/, ',');
}
