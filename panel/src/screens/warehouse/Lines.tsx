import { type Output, organizationId } from '../../client.ts';
import { countText } from '../../format.ts';
import { useMay } from '../../frame/use-frame.ts';
import type { Selection } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useList, useRead } from '../../queries.ts';
import { columnsOf } from './columns.tsx';
import { ObstacleNote } from './ObstacleNote.tsx';
import { filtersOf, type Only, type Tab } from './search.ts';
import type { Total } from './use-chosen.ts';
import { readiness, readinessWords, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];

type Count = Output<'warehouse.count'>;

const AGAIN_EVERY_MS = 15_000;
/** It looks at every line. */
const COUNT_EVERY_MS = 60_000;

interface LinesProps {
  readonly tab: Tab;
  /** Of the lines without a guide. */
  readonly only: Only | undefined;
  readonly openKey: string;
  readonly onOpen: (line: Line) => void;
  readonly onTab: (tab: Tab) => void;
  readonly onOnly: (only: Only | undefined) => void;
  /** The list begins anew. */
  readonly onRenew: () => void;
  /** Undefined = no line can be chosen. */
  readonly selection: LineSelection | undefined;
}

interface LineSelection extends Omit<Selection<Line>, 'onChoose'> {
  readonly onChoose: (lines: readonly Line[], isChosen: boolean, all: Total) => void;
}

/** The lines of one part of the work. */
export function Lines({ tab, only, openKey, onOpen, onTab, onOnly, ...rest }: LinesProps) {
  const { onRenew, selection } = rest;
  const { nameOf } = useServices();
  const list = useList('lines.list', filtersOf(tab, only), { againEveryMs: AGAIN_EVERY_MS });
  const mayCount = useMay('warehouse.count');
  const { data: count } = useRead(
    'warehouse.count',
    {},
    { isEnabled: mayCount && tab === 'sin-guia', againEveryMs: COUNT_EVERY_MS },
  );
  // Of another part of the work the former answer is still at hand.
  const all =
    count && tab === 'sin-guia'
      ? { count: countsOf(count)[only ?? 'todas'], hasMore: count.has_more }
      : { count: list.rows.length, hasMore: list.hasMore };
  const renew = () => {
    list.renew();
    onRenew();
  };
  return (
    <>
      {tab === 'sin-guia' && <Readiness count={count} only={only} onOnly={onOnly} />}
      <PagedTable
        list={{ ...list, renew }}
        countOf={(shown, hasMore) =>
          hasMore && all.count > list.rows.length
            ? warehouseWords.count(countText(all.count), all.hasMore)
            : warehouseWords.count(shown, hasMore)
        }
        empty={<Nothing tab={tab} only={only} onTab={onTab} onOnly={onOnly} />}
        label={warehouseWords.title}
        columns={columnsOf(tab, nameOf)}
        keyOf={({ line_id }) => line_id}
        onOpen={onOpen}
        openKey={openKey}
        selection={
          selection && {
            ...selection,
            onChoose: (lines, isChosen) => selection.onChoose(lines, isChosen, all),
          }
        }
      />
    </>
  );
}

/** All lines without a guide, or those that are ready for it, or the others. */
function Readiness({
  count,
  only,
  onOnly,
}: Pick<LinesProps, 'only' | 'onOnly'> & { readonly count: Count | undefined }) {
  const counts = count && countsOf(count);
  return (
    <>
      <Tabs
        label={readinessWords.label}
        names={Object.keys(readiness) as (keyof typeof readiness)[]}
        chosen={only ?? 'todas'}
        wordOf={(name) =>
          counts
            ? readinessWords.counted(readiness[name], countText(counts[name]), count.has_more)
            : readiness[name]
        }
        onChoose={(name) => onOnly(name === 'todas' ? undefined : name)}
      />
      {count?.obstacle && <ObstacleNote obstacle={count.obstacle} />}
    </>
  );
}

function countsOf({ without_guide, ready }: Count) {
  return { todas: without_guide, listas: ready, incompletas: without_guide - ready };
}

function Nothing({
  tab,
  only,
  onTab,
  onOnly,
}: Omit<LinesProps, 'openKey' | 'onOpen' | 'onRenew' | 'selection'>) {
  if (tab === 'sin-guia' && only)
    return (
      <EmptyState text={only === 'listas' ? readinessWords.noneReady : readinessWords.noneLacking}>
        <button type="button" className="button" onClick={() => onOnly(undefined)}>
          {warehouseWords.seeAll}
        </button>
      </EmptyState>
    );
  return (
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
  );
}

function emptyText(tab: Tab): string {
  if (tab === 'sin-guia') return warehouseWords.empty;
  return tab === 'sin-respuesta' ? warehouseWords.allSettled : warehouseWords.emptyTab;
}
