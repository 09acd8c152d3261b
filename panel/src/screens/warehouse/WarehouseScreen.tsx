import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CallFailure, type Output, organizationId, read } from '../../client.ts';
import { countText } from '../../format.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useList } from '../../queries.ts';
import { words } from '../../words.ts';
import { LineDrawer } from './LineDrawer.tsx';
import { goodsOf, ordersOf, ScanAnswer } from './ScanAnswer.tsx';
import { ScanField } from './ScanField.tsx';
import { filtersOf, TABS, type Tab, type WarehouseSearch } from './search.ts';
import { LINE_TONES, lineStates, tabs, warehouseWords } from './words.ts';
import './warehouse.css';

type Line = Output<'lines.list'>['data'][number];

const AGAIN_EVERY_MS = 15_000;
const EVERY_STATE = Object.keys(lineStates) as Line['state'][];

export const route = createLazyRoute('/almacen')({ component: WarehouseScreen });

function WarehouseScreen() {
  const { parte: tab = 'sin-guia', linea = '' } = useSearch({ from: '/almacen' });
  const navigate = useNavigate({ from: '/almacen' });
  const { nameOf } = useServices();
  const list = useList('lines.list', filtersOf(tab), { againEveryMs: AGAIN_EVERY_MS });
  const set = (next: Partial<WarehouseSearch>) =>
    void navigate({ search: (former) => ({ ...former, ...next }) });
  const open = ({ line_id }: Line) => set({ linea: line_id });
  const isEmpty = !list.isLoading && list.rows.length === 0 && !list.failure;
  return (
    <section className="screen wide warehouse">
      <h1>{warehouseWords.title}</h1>
      <Scan onOpen={open} />
      <Tabs
        label={warehouseWords.tabs}
        names={TABS}
        chosen={tab}
        wordOf={(name) => tabs[name]}
        onChoose={(parte) => set({ parte })}
      />
      <p className="faint count" role="status">
        {list.isLoading
          ? words.parts.loading
          : warehouseWords.count(countText(list.rows.length), list.hasMore)}
      </p>
      {list.failure && <FailureNote failure={list.failure} onAgain={list.again} />}
      {isEmpty && (
        <EmptyState text={tab === 'sin-guia' ? warehouseWords.empty : warehouseWords.emptyTab}>
          {tab === 'sin-guia' ? (
            <PanelLink className="button" address={`/panel/${organizationId}/ordenes`}>
              {warehouseWords.seeOrders}
            </PanelLink>
          ) : (
            <button type="button" className="button" onClick={() => set({ parte: 'sin-guia' })}>
              {warehouseWords.seeAll}
            </button>
          )}
        </EmptyState>
      )}
      {!isEmpty && !list.failure && (
        <DataTable
          label={warehouseWords.title}
          columns={columnsOf(tab, nameOf)}
          keyOf={({ line_id }) => line_id}
          onOpen={open}
          openKey={linea}
          {...list}
        />
      )}
      <LineDrawer lineId={linea} onClose={() => set({ linea: undefined })} />
    </section>
  );
}

interface Scanned {
  readonly number: string;
  readonly lines: readonly Line[];
}

/** Finds the line of a number, in whatever state it is. */
function Scan({ onOpen }: { onOpen: (line: Line) => void }) {
  const [scanned, setScanned] = useState<Scanned | null>(null);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const last = useRef(0);
  const find = async (number: string) => {
    // The next number may be scanned before this one is answered.
    const turn = ++last.current;
    setFailure(null);
    try {
      const { data } = await read('lines.list', { number, state: EVERY_STATE });
      if (turn === last.current) setScanned({ number, lines: data });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      if (turn !== last.current) return;
      setScanned(null);
      setFailure(error);
    }
  };
  return (
    <>
      <ScanField onNumber={(number) => void find(number)} />
      {failure && <FailureNote failure={failure} onAgain={() => setFailure(null)} />}
      {scanned && <ScanAnswer {...scanned} onOpen={onOpen} />}
    </>
  );
}

/** A part of the work shows no column that says the same in every row. */
function columnsOf(tab: Tab, nameOf: (slug: string) => string): Column<Line>[] {
  const hidden = { 'sin-guia': ['status', 'total'], otras: [] }[tab as string] ?? ['status'];
  return columnsWith(nameOf).filter(({ key }) => !hidden.includes(key));
}

function columnsWith(nameOf: (slug: string) => string): Column<Line>[] {
  return [
    {
      key: 'id',
      title: warehouseWords.orders,
      width: '11rem',
      cell: (line) => <code title={ordersOf(line)}>{ordersOf(line)}</code>,
    },
    {
      key: 'date',
      title: warehouseWords.waiting,
      width: '11.25rem',
      cell: ({ staged_at }) => <When at={staged_at} />,
    },
    {
      key: 'marketplace',
      title: warehouseWords.marketplace,
      width: '9.5rem',
      cell: ({ marketplace }) => <ServiceMark name={nameOf(marketplace)} />,
    },
    {
      key: 'status',
      title: warehouseWords.state,
      width: '11rem',
      cell: ({ state }) => <StatusBadge tone={LINE_TONES[state]} word={lineStates[state]} />,
    },
    {
      key: 'items',
      title: warehouseWords.goods,
      cell: (line) => <span title={goodsOf(line)}>{goodsOf(line)}</span>,
    },
    {
      key: 'buyer',
      title: warehouseWords.place,
      width: '11rem',
      cell: ({ destination }) =>
        destination ? (
          `${destination.city} ${destination.zipcode}`
        ) : (
          <span className="faint">{warehouseWords.noPlace}</span>
        ),
    },
    {
      key: 'total',
      title: warehouseWords.guide,
      width: '11rem',
      cell: ({ tracking_number }) =>
        tracking_number === null ? (
          <span className="faint">{warehouseWords.noGuide}</span>
        ) : (
          <code title={tracking_number}>{tracking_number}</code>
        ),
    },
  ];
}
