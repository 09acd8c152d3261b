import { useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { Output } from '../../client.ts';
import { countText, momentText, timeText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { Course } from './Course.tsx';
import { DURATION_STEPS, durationAxisText, durationText, figuresWords } from './words.ts';

type Account = Output<'connections.list'>['data'][number];
type Delay = Output<'figures.read'>['delays'][number];

/** How long changes of orders took to arrive: all marketplaces, and the hours of one. */
export function Delays({ delays }: { delays: readonly Delay[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, {
    getInitialValueInEffect: false,
  });
  const { connected } = useServices();
  const accounts = useRead('connections.list', {}).data?.data ?? [];
  const slowestFirst = delays.toSorted(
    (one, other) => other.p95 - one.p95 || other.median - one.median,
  );
  const silent = connected.filter(
    ({ service }) => !delays.some(({ marketplace }) => marketplace === service),
  );
  const shown = slowestFirst.find(({ marketplace }) => marketplace === chosen) ?? slowestFirst[0];
  return (
    <section className="tile tile-wide" aria-labelledby="delays">
      <h2 id="delays">{figuresWords.delays}</h2>
      <p className="faint">{shown ? figuresWords.delaysNote : figuresWords.noDelays}</p>
      {shown && (
        <>
          <FiguresTable
            labelledBy="delays"
            row={figuresWords.marketplace}
            figures={[
              figuresWords.median,
              figuresWords.p95,
              ...(isNarrow ? [] : [figuresWords.lastSync]),
              figuresWords.changes,
            ]}
          >
            {slowestFirst.map(({ marketplace, name, median, p95, changes }) => (
              <tr key={marketplace}>
                <th scope="row">
                  <button
                    type="button"
                    className="link-button"
                    aria-pressed={marketplace === shown.marketplace}
                    onClick={() => setChosen(marketplace)}
                  >
                    {name}
                  </button>
                  {isNarrow && <SyncedUnder at={oldestSync(accounts, marketplace)} />}
                </th>
                <td className="number">{durationText(median)}</td>
                <td className="number">{durationText(p95)}</td>
                {!isNarrow && (
                  <td className="number">
                    <Age at={oldestSync(accounts, marketplace)} />
                  </td>
                )}
                <td className="number">{countText(changes)}</td>
              </tr>
            ))}
          </FiguresTable>
          {silent.length > 0 && (
            <p className="faint">
              {figuresWords.silent(silent.map(({ name }) => name).join(', '))}
            </p>
          )}
          <Hours delay={shown} />
        </>
      )}
    </section>
  );
}

/** A phone has no room for one more column: the age is below the name. */
function SyncedUnder({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <span className="faint sum-note">
      {figuresWords.synced} <Age at={at} />
    </span>
  );
}

/** Of its accounts that are read; null = none was yet. */
function oldestSync(accounts: readonly Account[], marketplace: string): string | null {
  const read = accounts.filter(
    ({ service, state }) =>
      service === marketplace && state !== 'disconnected' && state !== 'paused',
  );
  return read.flatMap(({ last_sync_at }) => last_sync_at ?? []).toSorted()[0] ?? null;
}

function Hours({ delay: { name, hours } }: { delay: Delay }) {
  const timezone = useTimezone();
  const points = useMemo(
    () =>
      hours.map(({ at, p95 }) => ({
        label: momentText(at, timezone),
        tick: timeText(at, timezone),
        // Less than a second has a bar too; an hour without a change has none.
        value: p95 === null ? 0 : Math.max(1, p95),
      })),
    [hours, timezone],
  );
  const title = figuresWords.hoursOf(name);
  const slowest = points.reduce((one, other) => (other.value > one.value ? other : one));
  return (
    <>
      <h3>{title}</h3>
      <p className="faint">{figuresWords.slowestHour(slowest.label, delayText(slowest.value))}</p>
      <Course
        name="delays"
        title={title}
        points={points}
        figure={figuresWords.p95}
        format={delayText}
        axis={durationAxisText}
        steps={DURATION_STEPS}
      />
    </>
  );
}

function delayText(seconds: number): string {
  return seconds === 0 ? figuresWords.noChanges : durationText(seconds);
}
