import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** A value at each of its labels. */
export interface Point {
  readonly label: string;
  /** Below the axis, where the label is too long for it. */
  readonly tick?: string;
  readonly value: number;
}

interface BarsProps {
  readonly points: readonly Point[];
  readonly axis: (value: number) => string;
  /** What may lie between two ticks of the axis. */
  readonly steps?: readonly number[];
  /** The chosen point; null = none. */
  readonly at: number | null;
  readonly onPoint: (at: number | null) => void;
}

const HEIGHT = 220;
const BAR_SHARE = 0.7;
const WIDEST_BAR = 48;
const AXIS_WIDTH = 76;
const LABEL_SPACE = 72;
const LABEL_HEIGHT = 32;
/** A count has no tick between two whole numbers, and an amount needs none. */
const POWERS = Array.from({ length: 13 }, (_, power) => 10 ** power);
const WHOLE_STEPS = POWERS.flatMap((power) => [power, 2 * power, 5 * power]);
const DARK = '(prefers-color-scheme: dark)';

/** The bars themselves, a chunk of its own; drawn anew for another width or colour scheme. */
export default function Bars({ points, axis, steps = WHOLE_STEPS, at, onPoint }: BarsProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const reported = useRef(onPoint);
  reported.current = onPoint;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = drawn(element, { points, axis, steps }, (index) => reported.current(index));
    };
    draw();
    const dark = matchMedia(DARK);
    const size = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    size.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      size.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
    };
  }, [points, axis, steps]);
  useEffect(() => {
    const shown = plot.current;
    if (at === null || !shown || shown.cursor.idx === at) return;
    shown.setCursor({ left: shown.valToPos(at, 'x'), top: 0 }, false);
  }, [at]);
  return <div ref={place} style={{ height: HEIGHT }} />;
}

function drawn(
  element: HTMLElement,
  { points, axis: format, steps }: Required<Pick<BarsProps, 'points' | 'axis' | 'steps'>>,
  onPoint: (at: number | null) => void,
): uPlot {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const [grey, hair, blue] = ['--chart-grey', '--chart-hair', '--chart-blue'].map(colour);
  const axis = {
    stroke: grey ?? '',
    grid: { stroke: hair ?? '', width: 1 },
    ticks: { show: false },
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-0.5, points.length - 0.5] }, y: { range: fromZero } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: LABEL_HEIGHT,
          space: LABEL_SPACE,
          incrs: [1, 2, 5, 7, 10, 14, 30, 50, 100],
          values: (_, splits) =>
            splits.map((index) => points[index]?.tick ?? points[index]?.label ?? ''),
        },
        {
          ...axis,
          size: AXIS_WIDTH,
          incrs: [...steps],
          values: (_, splits) => splits.map(format),
        },
      ],
      series: [
        {},
        {
          fill: blue ?? '',
          ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [BAR_SHARE, WIDEST_BAR] }) }),
          points: { show: false },
        },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [points.map((_, index) => index), points.map(({ value }) => value)],
    element,
  );
}

const HEADROOM = 1.05;

function fromZero(_: uPlot, least: number, most: number): [number, number] {
  return [Math.min(0, least), most > 0 ? most * HEADROOM : 1];
}
