import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Output, organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import type { Selection } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useList } from '../../queries.ts';
import type { Chosen } from './BatchResult.tsx';
import { columnsOf } from './columns.tsx';
import { GuideBatch } from './GuideBatch.tsx';
import { guideWords } from './guide-words.ts';
import { LineDrawer } from './LineDrawer.tsx';
import { Scan } from './Scan.tsx';
import { ordersOf } from './ScanAnswer.tsx';
import { focusScan } from './ScanField.tsx';
import { filtersOf, RECENT, TABS, type Tab, type WarehouseSearch } from './search.ts';
import { tabs, warehouseWords } from './words.ts';
import './warehouse.css';

type Line = Output<'lines.list'>['data'][number];

const AGAIN_EVERY_MS = 15_000;
const MOST_OF_A_BATCH = 50;
const NONE: Chosen = new Map();

export const route = createLazyRoute('/almacen')({ component: WarehouseScreen });

function WarehouseScreen() {
  const { parte: tab = 'sin-guia', linea = '', lote = '' } = useSearch({ from: '/almacen' });
  const navigate = useNavigate({ from: '/almacen' });
  const set = (next: Partial<WarehouseSearch>) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false });
  const [chosen, setChosen] = useState<Chosen>(NONE);
  const [planned, setPlanned] = useState<Chosen | null>(null);
  const operations = useFrame().data?.operations ?? [];
  const mayPrepare = operations.includes('guides.request');
  const choose = (lines: readonly Line[], isChosen: boolean) =>
    setChosen((former) => {
      const next = new Map(former);
      for (const line of lines)
        if (isChosen) next.set(line.line_id, ordersOf(line));
        else next.delete(line.line_id);
      return next;
    });
  const plan = (lines: Chosen) => {
    focusScan();
    set({ linea: undefined, lote: undefined });
    setPlanned(lines);
  };
  const openLine = (line_id: string) => {
    setPlanned(null);
    set({ linea: line_id, lote: undefined });
  };
  const selection = {
    chosen: new Set(chosen.keys()),
    labelOf: (line: Line) => guideWords.choose(ordersOf(line)),
    labelOfAll: guideWords.chooseAll,
    onChoose: choose,
  };
  return (
    <section className="screen wide warehouse">
      <h1>{warehouseWords.title}</h1>
      <Scan
        onOpen={(lineId) => {
          focusScan();
          openLine(lineId);
        }}
        onReady={(line) => choose([line], true)}
      />
      <Tabs
        label={warehouseWords.tabs}
        names={TABS}
        chosen={tab}
        wordOf={(name) => tabs[name]}
        onChoose={(parte) => set({ parte })}
      />
      {operations.includes('guides.batches') && (
        <p>
          <button type="button" className="link-button" onClick={() => set({ lote: RECENT })}>
            {guideWords.recent}
          </button>
        </p>
      )}
      <Lines
        tab={tab}
        openKey={linea}
        onOpen={({ line_id }) => openLine(line_id)}
        onTab={(parte) => set({ parte })}
        selection={mayPrepare && tab === 'sin-guia' ? selection : undefined}
      />
      {chosen.size > 0 && (
        <ChosenBar
          count={chosen.size}
          onReview={() => plan(chosen)}
          onClear={() => setChosen(NONE)}
        />
      )}
      <LineDrawer
        lineId={linea}
        onClose={() => set({ linea: undefined })}
        onPlan={(line) => plan(new Map([[line.line_id, ordersOf(line)]]))}
      />
      <GuideBatch
        chosen={planned}
        batchId={lote}
        onBatch={(batchId) => {
          // The plan stays until the address names the batch: the drawer does not close between.
          setChosen(NONE);
          set({ lote: batchId });
        }}
        onOpenBatch={(lote) => set({ lote })}
        onOpenLine={openLine}
        onRetry={plan}
        onClose={() => {
          setPlanned(null);
          set({ lote: undefined });
        }}
      />
    </section>
  );
}

interface LinesProps {
  readonly tab: Tab;
  readonly openKey: string;
  readonly onOpen: (line: Line) => void;
  readonly onTab: (tab: Tab) => void;
  readonly selection: Selection<Line> | undefined;
}

function Lines({ tab, openKey, onOpen, onTab, selection }: LinesProps) {
  const { nameOf } = useServices();
  const list = useList('lines.list', filtersOf(tab), { againEveryMs: AGAIN_EVERY_MS });
  return (
    <PagedTable
      list={list}
      countOf={warehouseWords.count}
      empty={
        <EmptyState text={emptyText(tab)}>
          {tab === 'sin-guia' ? (
            <PanelLink className="button" address={`/panel/${organizationId}/ordenes`}>
              {warehouseWords.seeOrders}
            </PanelLink>
          ) : (
            <button type="button" className="button" onClick={() => onTab('sin-guia')}>
              {warehouseWords.seeAll}
            </button>
          )}
        </EmptyState>
      }
      label={warehouseWords.title}
      columns={columnsOf(tab, nameOf)}
      keyOf={({ line_id }) => line_id}
      onOpen={onOpen}
      openKey={openKey}
      selection={selection}
    />
  );
}

function emptyText(tab: Tab): string {
  if (tab === 'sin-guia') return warehouseWords.empty;
  return tab === 'sin-respuesta' ? warehouseWords.allSettled : warehouseWords.emptyTab;
}

interface ChosenBarProps {
  readonly count: number;
  readonly onReview: () => void;
  readonly onClear: () => void;
}

/** What can be done with the chosen lines; it stays in sight. */
function ChosenBar({ count, onReview, onClear }: ChosenBarProps) {
  const isTooMany = count > MOST_OF_A_BATCH;
  return (
    <div className="chosen-bar">
      <p role="status">
        <strong>{guideWords.chosen(count)}</strong>
        {isTooMany && <span className="fault"> {guideWords.most(MOST_OF_A_BATCH)}</span>}
      </p>
      <p className="acts">
        <button type="button" className="button" disabled={isTooMany} onClick={onReview}>
          {guideWords.review}
        </button>
        <button type="button" className="link-button" onClick={onClear}>
          {guideWords.clear}
        </button>
      </p>
    </div>
  );
}
