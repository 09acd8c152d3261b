import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
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

/** How much of the quota is used now, and by whom in the last hour or day. */
function UsageScreen() {
  const search = useSearch({ from: '/uso' });
  const navigate = useNavigate({ from: '/uso' });
  const set = (next: UsageSearch) =>
    void navigate({
      search: (former) => ({ ...former, ...next }),
      replace: true,
      resetScroll: false,
    });
  const span = search.periodo === 'dia' ? 'day' : 'hour';
  const { data, error, refetch } = useRead(
    'usage.read',
    { span, caller_id: search.de },
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
        chosen={span}
        wordOf={(name) => usageWords.spans[name]}
        onChoose={(name) => set({ periodo: name === 'day' ? 'dia' : undefined })}
      />
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost chart-ghost" />}
      {isEmpty && <Empty />}
      {data && !isEmpty && (
        <>
          <Course
            usage={data}
            span={span}
            view={search.ver ?? 'admitted'}
            onView={(view) => set({ ver: view === 'admitted' ? undefined : view })}
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

function Empty() {
  return (
    <EmptyState text={usageWords.empty}>
      <a className="button quiet" href="/docs/guia">
        {usageWords.guide}
      </a>
    </EmptyState>
  );
}
