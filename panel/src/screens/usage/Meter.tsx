import { useEffect, useState } from 'react';
import { countText } from '../../format.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useRead } from '../../queries.ts';
import { usageWords } from './words.ts';

const AGAIN_EVERY_MS = 5_000;
const SECOND_MS = 1_000;

/** The quota's current window, live. */
export function Meter() {
  const { data, error, refetch, dataUpdatedAt } = useRead(
    'usage.meter',
    {},
    { againEveryMs: AGAIN_EVERY_MS },
  );
  const left = useSecondsLeft(data?.seconds_left ?? null, dataUpdatedAt);
  const settings = useFrame().data?.navigation.find(({ place }) => place === 'settings');
  const failure = error && <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!data && failure) return failure;
  if (!data)
    return (
      <section className="tile" aria-labelledby="meter">
        <h2 id="meter">{usageWords.meter}</h2>
        <p className="ghost ghost-figure" />
      </section>
    );
  // A window that ended since the last answer.
  const used = left === 0 ? 0 : data.used;
  const isFull = used >= data.limit;
  return (
    <section className="tile" aria-labelledby="meter">
      <h2 id="meter">{usageWords.meter}</h2>
      {failure}
      <p className="figure-main">{usageWords.used(countText(used), countText(data.limit))}</p>
      <meter
        className="quota-meter"
        aria-labelledby="meter"
        min={0}
        max={data.limit}
        high={data.limit * HIGH_SHARE}
        optimum={0}
        value={used}
      />
      {isFull && (
        <p>
          <StatusBadge tone="bad" word={usageWords.full} />{' '}
          {settings && <PanelLink address={settings.address}>{usageWords.plans}</PanelLink>}
        </p>
      )}
      <p className="faint">{left ? usageWords.ends(left) : usageWords.idle}</p>
    </section>
  );
}

const HIGH_SHARE = 0.8;

/** Counts down between two answers. */
function useSecondsLeft(seconds: number | null, askedAt: number): number | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  if (seconds === null) return null;
  return Math.max(0, seconds - Math.floor(Math.max(0, now - askedAt) / SECOND_MS));
}
