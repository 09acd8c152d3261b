import { useEffect, useState } from 'react';
import { dayAlone } from '../../../src/words/days.ts';
import { ageText, dayOfText, dayText, momentText } from '../format.ts';
import { useTimezone } from '../frame/use-frame.ts';
import { words } from '../words.ts';

const TURN_MS = 30_000;

/** The moment, in the time zone of the organisation. */
export function When({ at }: { at: string }) {
  return <time dateTime={at}>{momentText(at, useTimezone())}</time>;
}

/** Its day alone, with the moment in its tooltip. */
export function DayOf({ at }: { at: string }) {
  const timezone = useTimezone();
  return (
    <time dateTime={at} title={momentText(at, timezone)}>
      {dayOfText(at, timezone)}
    </time>
  );
}

/** The day of a payout or of its cut; one that the marketplace told without a time has no moment. */
export function ToldDay({ at }: { at: string }) {
  const day = dayAlone(at);
  if (day === null) return <DayOf at={at} />;
  return <time dateTime={day}>{dayText(day, true)}</time>;
}

/** How long ago, with the moment in its tooltip. */
export function Age({ at, never = words.parts.none }: { at: string | null; never?: string }) {
  const timezone = useTimezone();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TURN_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span className="faint">{never}</span>;
  return (
    <time dateTime={at} title={momentText(at, timezone)}>
      {ageText(at, Math.max(now, Date.parse(at)))}
    </time>
  );
}
