import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { dayOfText, timeText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useRead } from '../../queries.ts';
import { Callers } from './Callers.tsx';
import { Course } from './Course.tsx';
import { Meter } from './Meter.tsx';
import type { UsageSearch } from './search.ts';
import { usageWords } from './words.ts';
import './usage.css';

export const route = createLazyRoute('/uso')({ component: UsageScreen });

const SPANS = ['hour', 'day'] as const;
const AGAIN_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;

/** How much of the quota is used now, and by whom in the last hour or day, or an hour of it. */
function UsageScreen() {
  const search = useSearch({ from: '/uso' });
  const navigate = useNavigate({ from: '/uso' });
  const set = (next: UsageSearch) =>
    void navigate({
      search: (former) => ({ ...former, ...next }),
      replace: true,
      resetScroll: false,
    });
  const period = search.periodo === 'dia' ? 'day' : 'hour';
  const span = search.hora === undefined ? period : 'hour';
  const { data, error, refetch } = useRead(
    'usage.read',
    { span, from: search.hora, caller_id: search.de },
    { againEveryMs: AGAIN_EVERY_MS, keepsFormer: true },
  );
  const isEmpty = data?.callers.length === 0;
  return (
    <section className="screen wide">
      <h1>{usageWords.title}</h1>
      <p className="faint">{usageWords.intro}</p>
      <Meter />
      <Tabs
        label={usageWords.period}
        names={SPANS}
        chosen={period}
        wordOf={(name) => usageWords.spans[name]}
        onChoose={(name) => set({ periodo: name === 'day' ? 'dia' : undefined, hora: undefined })}
      />
      {search.hora !== undefined && (
        <OneHour from={search.hora} onBack={() => set({ hora: undefined })} />
      )}
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost chart-ghost" />}
      {isEmpty && <Empty />}
      {data && !isEmpty && (
        <>
          <Course
            usage={data}
            view={search.ver ?? 'admitted'}
            onView={(view) => set({ ver: view === 'admitted' ? undefined : view })}
            onHour={(hora) => set({ hora })}
          />
          <Callers
            callers={data.callers}
            chosen={search.de ?? null}
            onChoose={(id) => set({ de: id ?? undefined })}
          />
        </>
      )}
    </section>
  );
}

/** Which hour of the last day is shown, and the way back to the day. */
function OneHour({ from, onBack }: { from: string; onBack: () => void }) {
  const timezone = useTimezone();
  const end = new Date(Date.parse(from) + HOUR_MS).toISOString();
  return (
    <p className="acts">
      <strong>
        {usageWords.hour(
          dayOfText(from, timezone),
          timeText(from, timezone),
          timeText(end, timezone),
        )}
      </strong>
      <button type="button" className="link-button" onClick={onBack}>
        {usageWords.backToDay}
      </button>
    </p>
  );
}

function Empty() {
  return (
    <EmptyState text={usageWords.empty}>
      <a className="button quiet" href="/docs/guia">
        {usageWords.guide}
      </a>
    </EmptyState>
  );
}
