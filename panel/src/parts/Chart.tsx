import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { axisText } from '../format.ts';
import { words } from '../words.ts';
import type { Point } from './Bars.tsx';

interface ChartProps {
  /** What the chart shows, as text for screen readers. */
  readonly title: string;
  readonly points: readonly Point[];
  readonly format: (value: number) => string;
  /** Beside the axis, shorter; amounts without it. */
  readonly axis?: (value: number) => string;
  /** What may lie between two ticks of the axis; usually 1, 2 and 5 with their powers of ten. */
  readonly steps?: readonly number[];
}

const Bars = lazy(() => import('./Bars.tsx'));

/** Bars of one series; the arrows go from value to value. The same values belong in a table. */
export function Chart({ title, points, format, axis = axisText, steps }: ChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const chosen = at === null ? undefined : points[at];
  function walk(event: KeyboardEvent) {
    const last = points.length - 1;
    const next = {
      ArrowRight: (at ?? -1) + 1,
      ArrowLeft: (at ?? last + 1) - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(Math.min(Math.max(next, 0), last));
  }
  return (
    <figure className="chart">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its values are read by the arrows */}
      <div role="img" aria-label={title} tabIndex={0} onKeyDown={walk} className="chart-plot">
        <Suspense fallback={<span className="ghost chart-ghost" />}>
          <Bars points={points} axis={axis} {...(steps && { steps })} at={at} onPoint={setAt} />
        </Suspense>
      </div>
      <figcaption aria-live="polite">
        {chosen ? (
          <>
            <strong>{format(chosen.value)}</strong> <span className="faint">{chosen.label}</span>
          </>
        ) : (
          <span className="faint">{words.parts.chartHint}</span>
        )}
      </figcaption>
    </figure>
  );
}
