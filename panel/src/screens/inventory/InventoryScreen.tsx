import { useMediaQuery } from '@mantine/hooks';
import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { ConnectLink } from '../../parts/ConnectLink.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { TextFilter } from '../../parts/TextFilter.tsx';
import { useServices } from '../../parts/use-services.ts';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { useList } from '../../queries.ts';
import { words as common } from '../../words.ts';
import { SkuDrawer } from './SkuDrawer.tsx';
import { StockAt, StockLine, usualOf } from './Stock.tsx';
import { filtersOf, type InventorySearch, ONLY } from './search.ts';
import { inventoryWords as words } from './words.ts';

type Row = Output<'inventory.list'>['data'][number];

/** Stock follows sync runs, which the organisation's clock does not cover. */
const AGAIN_MS = 60_000;
const ROOM_FOR_COLUMNS = '(min-width: 1200px)';
/** More have their names turned by a quarter, so that the product keeps its room. */
const MOST_NAMED = 5;

export const route = createLazyRoute('/inventario')({ component: InventoryScreen });

function InventoryScreen() {
  const search = useSearch({ from: '/inventario' });
  const navigate = useNavigate({ from: '/inventario' });
  const { nameOf } = useServices();
  const list = useList('inventory.list', filtersOf(search), { againEveryMs: AGAIN_MS });
  const hasRoom = useMediaQuery(ROOM_FOR_COLUMNS, undefined, { getInitialValueInEffect: false });
  const set = (next: Partial<InventorySearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  const close = useWayBack(() => set({ sku: undefined, desde: undefined }));
  const places = [...new Set(list.rows.flatMap(({ channels }) => channels.map(placeOf)))].sort();
  const columns = hasRoom ? places : null;
  return (
    <section className="screen wide">
      <h1>{words.title}</h1>
      <div className="filters">
        <TextFilter
          label={common.orders.search}
          hint={words.searchHint}
          value={search.buscar}
          isWide
          onChange={(buscar) => set({ buscar })}
        />
      </div>
      <Tabs
        label={words.show}
        names={['todo', ...ONLY]}
        chosen={search.ver ?? 'todo'}
        wordOf={(name) => words.shows[name]}
        onChoose={(name) => set({ ver: name === 'todo' ? undefined : name })}
      />
      <PagedTable
        list={list}
        countOf={words.count}
        loading={words.searching}
        notices={
          (list.isLoading || list.rows.length > 0) && <p className="faint legend">{words.legend}</p>
        }
        empty={<Nothing search={search} />}
        label={words.title}
        mayWrap={columns === null}
        columns={columnsWith(nameOf, columns)}
        keyOf={({ sku }) => sku}
        onOpen={({ sku }) => set({ sku, desde: undefined }, OPENED)}
        openKey={search.sku ?? null}
      />
      <SkuDrawer sku={search.sku ?? null} from={search.desde ?? null} onClose={close} />
    </section>
  );
}

function Nothing({ search: { buscar, ver } }: { search: InventorySearch }) {
  if (buscar) return <EmptyState text={words.emptyFiltered} />;
  if (ver === 'diferencias') return <EmptyState text={words.emptyDifferences} />;
  if (ver === 'sin-medidas') return <EmptyState text={words.emptyUnmeasured} />;
  return (
    <EmptyState text={words.empty}>
      <ConnectLink />
    </EmptyState>
  );
}

function placeOf({ marketplace }: Row['channels'][number]): string {
  return marketplace;
}

/** @param places a column for each of these marketplaces; null = one column for all */
function columnsWith(
  nameOf: (slug: string) => string,
  places: readonly string[] | null,
): Column<Row>[] {
  return [
    {
      key: 'id',
      title: words.sku,
      width: '8rem',
      cell: ({ sku }) => <code title={sku}>{sku}</code>,
    },
    {
      key: 'items',
      title: words.product,
      cell: ({ title }) => <span title={title}>{title}</span>,
    },
    { key: 'total', title: words.weight, width: '7.5rem', isNumber: true, cell: weightOf },
    ...(places?.map((place) => stockColumn(place, nameOf(place), places.length)) ?? [
      {
        key: 'stock',
        title: words.stock,
        width: '45%',
        cell: (row: Row) => (
          <StockLine channels={row.channels} usual={comparedIn(row)} nameOf={nameOf} />
        ),
      },
    ]),
  ];
}

function stockColumn(place: string, name: string, places: number): Column<Row> {
  const isTight = places > MOST_NAMED;
  return {
    key: place,
    title: name,
    ...(isTight && { head: <span className="upright">{name}</span> }),
    width: isTight ? '3.25rem' : '7rem',
    isNumber: true,
    cell: (row) => (
      <StockAt
        channels={row.channels.filter(({ marketplace }) => marketplace === place)}
        usual={comparedIn(row)}
      />
    ),
  };
}

function comparedIn({ has_difference, channels }: Row): number | null {
  return has_difference ? usualOf(channels) : null;
}

function weightOf({ weight_kg, lack }: Row) {
  if (lack) return <StatusBadge tone="warn" word={words.lacks[lack]} />;
  return weight_kg === null ? common.parts.none : words.kilograms(countText(weight_kg));
}
