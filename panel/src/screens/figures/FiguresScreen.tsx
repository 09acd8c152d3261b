import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { isAwaited, useRead } from '../../queries.ts';
import { Balances } from './Balances.tsx';
import { Counts } from './Counts.tsx';
import { Delays } from './Delays.tsx';
import { Late } from './Late.tsx';
import { figuresWords } from './words.ts';

export const route = createLazyRoute('/metricas')({ component: FiguresScreen });

const SPANS = ['day', 'week'] as const;
const COUNTED = ['orders', 'guides', 'guides_failed'] as const;
const AGAIN_EVERY_MS = 60_000;

/** What happened over the time, and how long changes took to arrive. */
function FiguresScreen() {
  const search = useSearch({ from: '/metricas' });
  const navigate = useNavigate({ from: '/metricas' });
  const span = search.periodo === 'semana' ? 'week' : 'day';
  const figures = useRead(
    'figures.read',
    { span },
    { againEveryMs: AGAIN_EVERY_MS, keepsFormer: true },
  );
  const { error, refetch } = figures;
  const accounts = useRead('connections.list', {});
  // Drawn together: the accounts in trouble would move the figures below them.
  const data = isAwaited(accounts) ? undefined : figures.data;
  return (
    <section className="screen wide">
      <h1>{figuresWords.title}</h1>
      <p className="faint">{figuresWords.intro}</p>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost chart-ghost" />}
      {data && (
        <>
          <Late delays={data.delays} />
          <Delays delays={data.delays} />
          <Tabs
            label={figuresWords.period}
            names={SPANS}
            chosen={span}
            wordOf={(name) => figuresWords.spans[name]}
            onChoose={(name) =>
              void navigate({
                search: (former) => ({
                  ...former,
                  periodo: name === 'week' ? 'semana' : undefined,
                }),
                replace: true,
                resetScroll: false,
              })
            }
          />
          <div className="tiles">
            {COUNTED.map((name) => (
              <Counts key={name} name={name} slots={data.slots} span={span} />
            ))}
            <Balances moments={data.balances} />
          </div>
          <h2 className="section-head">{figuresWords.technical}</h2>
          <p className="faint">{figuresWords.technicalNote}</p>
          <div className="tiles">
            <Counts name="webhooks" slots={data.slots} span={span} />
          </div>
        </>
      )}
    </section>
  );
}
