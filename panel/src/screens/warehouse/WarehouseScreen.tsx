import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { Tabs } from '../../parts/Tabs.tsx';
import { ChosenBar } from './ChosenBar.tsx';
import { GuideBatch } from './GuideBatch.tsx';
import { guideWords } from './guide-words.ts';
import { LineDrawer } from './LineDrawer.tsx';
import { Lines } from './Lines.tsx';
import { ordersOf } from './line-names.ts';
import { Scan } from './Scan.tsx';
import { isForReview, isPacked, type Scanned } from './ScanAnswer.tsx';
import { focusScan } from './ScanField.tsx';
import { RECENT, REVIEW, TABS, type Tab, type WarehouseSearch } from './search.ts';
import { TransferBar } from './TransferBar.tsx';
import { type Chosen, FOR_GUIDES, TO_TRANSFER, useChosen, usePlanned } from './use-chosen.ts';
import { tabs, warehouseWords } from './words.ts';
import './warehouse.css';

type Line = Output<'lines.list'>['data'][number];

export const route = createLazyRoute('/almacen')({ component: WarehouseScreen });

function WarehouseScreen() {
  const address = useAddress();
  const { search, set } = address;
  const { parte: tab = 'sin-guia', linea = '', lote = '' } = search;
  const { forGuides, leaving, byTab } = useChosenByTab();
  const { chosen } = forGuides;
  const choosing = byTab[tab];
  const [planned, setPlanned] = usePlanned();
  const operations = useFrame().data?.operations ?? [];
  const mayPrepare = operations.includes('guides.request');
  const plan = (lines: Chosen, account?: string) => {
    focusScan();
    setPlanned(lines);
    set({ linea: undefined, lote: REVIEW, cuenta: account });
  };
  /** A line is chosen in its own part of the work, so that no scan is lost. */
  const choose = (scanned: Scanned): Tab => {
    const found = mayPrepare ? waitingIn(scanned) : null;
    if (!found) return tab;
    const { line, parte } = found;
    byTab[parte]?.choose([line], true);
    if (parte !== tab) set({ parte });
    return parte;
  };
  const openLine = (line_id: string, desde?: typeof REVIEW) =>
    set({ linea: line_id, lote: undefined, desde });
  return (
    <section className="screen wide warehouse">
      <h1>{warehouseWords.title}</h1>
      <Scan
        tab={tab}
        chosen={new Map([...chosen, ...leaving.chosen])}
        onOpen={(lineId) => {
          focusScan();
          openLine(lineId);
        }}
        onBegin={() => {
          if (linea || lote) set({ linea: undefined, lote: undefined });
        }}
        onFound={choose}
      />
      <Tabs
        label={warehouseWords.tabs}
        names={TABS}
        chosen={tab}
        wordOf={(name) => tabs[name]}
        onChoose={(parte) => set({ parte })}
      />
      {operations.includes('guides.batches') && (
        <RecentButton onOpen={() => set({ lote: RECENT })} />
      )}
      <Lines
        tab={tab}
        only={search.solo}
        openKey={linea}
        onOpen={({ line_id }) => openLine(line_id)}
        onTab={(parte) => set({ parte })}
        onOnly={(solo) => set({ solo })}
        onRenew={() => choosing?.check()}
        selection={mayPrepare && choosing ? selectionOf(choosing) : undefined}
      />
      {tab === 'con-guia' ? (
        <TransferBar leaving={leaving} />
      ) : (
        <ChosenBar of={forGuides} action={guideWords.review} onAct={() => plan(chosen)} />
      )}
      <Drawers
        address={address}
        planned={planned}
        onPlan={plan}
        onOpenLine={openLine}
        onBatch={forGuides.clear}
      />
    </section>
  );
}

/** The lines that are chosen in the parts of the work that choose any. */
function useChosenByTab() {
  const forGuides = useChosen(FOR_GUIDES);
  const leaving = useChosen(TO_TRANSFER);
  const byTab: Partial<Record<Tab, typeof leaving>> = {
    'sin-guia': forGuides,
    'con-guia': leaving,
  };
  return { forGuides, leaving, byTab };
}

/** The only line of a scan, and the part of the work where it can be chosen; null = nowhere. */
function waitingIn({ lines: [line, ...others], planned }: Scanned) {
  const parte: Tab = isForReview(planned) ? 'sin-guia' : 'con-guia';
  const isWaiting = line && (parte === 'sin-guia' || isPacked(line));
  return isWaiting && others.length === 0 ? { line, parte } : null;
}

interface DrawersProps {
  readonly address: ReturnType<typeof useAddress>;
  /** The lines that are reviewed. */
  readonly planned: Chosen;
  readonly onPlan: (lines: Chosen, account?: string) => void;
  readonly onOpenLine: (lineId: string, from?: typeof REVIEW) => void;
  /** The chosen lines are in a batch now. */
  readonly onBatch: () => void;
}

/** A line, or guides of several lines, over the list; the address names what is open. */
function Drawers({ address, planned, onPlan, onOpenLine, onBatch }: DrawersProps) {
  const { search, set } = address;
  const { linea = '', lote = '', desde, cuenta } = search;
  const backToReview = () => set({ linea: undefined, lote: REVIEW });
  return (
    <>
      <LineDrawer
        lineId={linea}
        onClose={() => set({ linea: undefined })}
        onReview={desde === REVIEW ? backToReview : undefined}
        onPlan={(line) => onPlan(new Map([[line.line_id, ordersOf(line)]]))}
      />
      <GuideBatch
        chosen={planned}
        batchId={lote}
        account={cuenta}
        onAccount={(account) => set({ cuenta: account })}
        onBatch={(batchId) => {
          onBatch();
          set({ lote: batchId, cuenta: undefined });
        }}
        onOpenBatch={(batchId) => set({ lote: batchId })}
        onOpenLine={(lineId) => onOpenLine(lineId, lote === REVIEW ? REVIEW : undefined)}
        onRetry={onPlan}
        onClose={() => set({ lote: undefined })}
      />
    </>
  );
}

/** What the address holds, and how it changes. */
function useAddress() {
  const search = useSearch({ from: '/almacen' });
  const navigate = useNavigate({ from: '/almacen' });
  const set = (next: Partial<WarehouseSearch>) =>
    void navigate({
      search: (former) => ({ ...former, desde: undefined, ...next }),
      resetScroll: false,
      // Back from a result nothing is left to review.
      replace: next.lote !== undefined && search.lote === REVIEW,
    });
  return { search, set };
}

function RecentButton({ onOpen }: { onOpen: () => void }) {
  return (
    <p>
      <button type="button" className="link-button" onClick={onOpen}>
        {guideWords.recent}
      </button>
    </p>
  );
}

function selectionOf({ chosen, most, choose }: ReturnType<typeof useChosen>) {
  return {
    chosen: new Set(chosen.keys()),
    labelOf: (line: Line) => guideWords.choose(ordersOf(line)),
    labelOfAll: guideWords.chooseAll,
    most,
    onChoose: choose,
  };
}
