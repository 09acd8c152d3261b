import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Finding, findingKinds, findingStates, findingWords } from '../../finding-words.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { Money } from '../../parts/Money.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { When } from '../../parts/When.tsx';
import { useList, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { FindingDrawer } from './FindingDrawer.tsx';
import { Subject } from './Subject.tsx';
import { type FindingSearch, stateOf } from './search.ts';

export const route = createLazyRoute('/hallazgos')({ component: FindingsScreen });

const STATES = Object.keys(findingStates) as Finding['state'][];
/** Findings follow sync runs, which the organisation's clock does not cover. */
const AGAIN_MS = 60_000;

function FindingsScreen() {
  const search = useSearch({ from: '/hallazgos' });
  const navigate = useNavigate({ from: '/hallazgos' });
  const { nameOf } = useServices();
  const state = stateOf(search);
  const list = useList('findings.list', { state }, { againEveryMs: AGAIN_MS });
  const listed = list.rows.find(({ id }) => id === search.hallazgo);
  const isElsewhere = search.hallazgo !== undefined && list.first !== undefined && !listed;
  /** Of another state, or of a page that is not read. */
  const alone = useRead(
    'findings.get',
    { id: search.hallazgo ?? '' },
    { isEnabled: isElsewhere, againEveryMs: AGAIN_MS },
  );
  const open = listed ?? (isElsewhere ? alone.data?.data : undefined) ?? null;
  /** Where the note took the finding that was open; null = nowhere. */
  const [moved, setMoved] = useState<Finding['state'] | null>(null);
  const set = (next: Partial<FindingSearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  const close = useWayBack(() => set({ hallazgo: undefined }));
  const go = (estado: Finding['state']) => {
    setMoved(null);
    set({ estado, hallazgo: undefined });
  };
  const explained = (next: Finding['state']) => {
    if (next === state) return;
    setMoved(next);
    set({ hallazgo: undefined }, { replace: true });
  };
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{findingWords.title}</h1>
        <ExportLink of="findings" isNarrowed />
      </div>
      <p className="faint">{findingWords.intro}</p>
      <Tabs
        label={findingWords.states}
        names={STATES}
        chosen={state}
        wordOf={(name) => findingStates[name]}
        onChoose={(estado) => go(estado)}
      />
      <div role="status" className="said">
        {moved && (
          <p className="notice notice-good">
            {findingWords.moved[moved]}{' '}
            <button type="button" className="link-button" onClick={() => go(moved)}>
              {findingWords.seeMoved}
            </button>
          </p>
        )}
      </div>
      <PagedTable
        list={list}
        countOf={findingWords.count}
        empty={<EmptyState text={findingWords.empty[state]} />}
        label={findingWords.title}
        columns={columnsWith(nameOf)}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ hallazgo: id }, OPENED)}
        openKey={search.hallazgo ?? null}
      />
      <FindingDrawer
        finding={open}
        failure={isElsewhere && !open ? alone.error : null}
        onAgain={() => void alone.refetch()}
        onClose={close}
        onExplained={explained}
      />
    </section>
  );
}

/** The keys place the facts on a narrow screen. */
function columnsWith(nameOf: (slug: string) => string): Column<Finding>[] {
  return [
    {
      key: 'id',
      title: findingWords.kind,
      width: '15rem',
      cell: ({ kind }) => findingKinds[kind],
    },
    {
      key: 'items',
      title: findingWords.subject,
      cell: ({ kind, subject }) => <Subject kind={kind} subject={subject} />,
    },
    {
      key: 'marketplace',
      title: words.orders.marketplace,
      width: '9.5rem',
      cell: ({ marketplace }) =>
        marketplace === null ? (
          <span className="faint">{findingWords.severalMarketplaces}</span>
        ) : (
          <ServiceMark name={nameOf(marketplace)} />
        ),
    },
    {
      key: 'status',
      title: findingWords.since,
      width: '11.25rem',
      cell: ({ since }) => <When at={since} />,
    },
    {
      key: 'total',
      title: findingWords.amount,
      width: '8.5rem',
      isNumber: true,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
  ];
}
