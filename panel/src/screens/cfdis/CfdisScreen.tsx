import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { cfdiDirections, cfdiStatuses, cfdiTypes, cfdiWords } from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { Money } from '../../parts/Money.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { When } from '../../parts/When.tsx';
import { useList, useRead } from '../../queries.ts';
import { uninvoicedWords } from '../../uninvoiced-words.ts';
import { CfdiDrawer } from './CfdiDrawer.tsx';
import { CfdiFilters } from './CfdiFilters.tsx';
import { DownloadArchive } from './DownloadArchive.tsx';
import { ProfileNote } from './ProfileNote.tsx';
import { AGAIN_MS, type CfdiSearch, filtersOf, uninvoicedOf, VIEWS, viewOf } from './search.ts';
import { TONES } from './tones.ts';
import { Uninvoiced } from './Uninvoiced.tsx';
import { UploadBox } from './UploadBox.tsx';

type Cfdi = Output<'cfdis.list'>['data'][number];

export const route = createLazyRoute('/facturas')({ component: CfdisScreen });

function CfdisScreen() {
  const search = useSearch({ from: '/facturas' });
  const navigate = useNavigate({ from: '/facturas' });
  const view = viewOf(search);
  const whole = uninvoicedOf({}, 'pendientes', useTimezone());
  const sums = useRead('cfdis.uninvoiced-sums', whole, { keepsFormer: true });
  const pending = sums.data?.data.reduce((sum, { orders }) => sum + orders, 0) ?? 0;
  const wordOf = (name: (typeof VIEWS)[number]) =>
    name === 'pendientes' && pending > 0
      ? uninvoicedWords.pending(countText(pending))
      : uninvoicedWords.view[name];
  const set = (next: Partial<CfdiSearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  return (
    <section className="screen wide">
      <h1>{cfdiWords.title}</h1>
      <Tabs
        label={uninvoicedWords.views}
        names={VIEWS}
        chosen={view}
        wordOf={wordOf}
        onChoose={(vista) => void navigate({ search: { vista } })}
      />
      {view === 'cfdi' ? (
        <Documents search={search} onChange={set} />
      ) : (
        <Uninvoiced view={view} search={search} onChange={set} />
      )}
    </section>
  );
}

interface DocumentsProps {
  readonly search: CfdiSearch;
  readonly onChange: (next: Partial<CfdiSearch>, how?: object) => void;
}

function Documents({ search, onChange }: DocumentsProps) {
  const filters = filtersOf(search, useTimezone());
  const list = useList('cfdis.list', filters, { againEveryMs: AGAIN_MS });
  const close = useWayBack(() => onChange({ folio: undefined }));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <ProfileNote />
      <UploadBox onDone={list.again} />
      <CfdiFilters search={search} onChange={onChange} />
      <DownloadArchive filters={filters} isEmpty={list.rows.length === 0} />
      <PagedTable
        list={list}
        countOf={cfdiWords.count}
        empty={<EmptyState text={isFiltered ? cfdiWords.emptyFiltered : cfdiWords.empty} />}
        label={cfdiWords.title}
        columns={COLUMNS}
        keyOf={({ uuid }) => uuid}
        onOpen={({ uuid }) => onChange({ folio: uuid }, OPENED)}
        openKey={search.folio ?? null}
      />
      <CfdiDrawer uuid={search.folio ?? ''} onClose={close} />
    </>
  );
}

/** The keys place the facts on a narrow screen. */
const COLUMNS: readonly Column<Cfdi>[] = [
  {
    key: 'id',
    title: cfdiWords.uuid,
    width: '11rem',
    cell: ({ uuid }) => <code title={uuid}>{uuid}</code>,
  },
  {
    key: 'date',
    title: cfdiWords.issued,
    width: '11.25rem',
    cell: ({ issued_at }) => <When at={issued_at} />,
  },
  {
    key: 'marketplace',
    title: cfdiWords.type,
    width: '9.5rem',
    cell: ({ type, direction }) => `${cfdiTypes[type]} · ${cfdiDirections[direction]}`,
  },
  {
    key: 'status',
    title: cfdiWords.status,
    width: '8rem',
    cell: ({ status }) => <StatusBadge tone={TONES[status]} word={cfdiStatuses[status]} />,
  },
  {
    key: 'items',
    title: cfdiWords.parties,
    cell: ({ issuer_rfc, receiver_rfc }) =>
      `${issuer_rfc} → ${receiver_rfc ?? cfdiWords.foreigner}`,
  },
  {
    key: 'aside',
    title: cfdiWords.orders,
    width: '4.25rem',
    isNumber: true,
    cell: ({ orders, has_more_orders }) => `${orders.length}${has_more_orders ? '+' : ''}`,
  },
  {
    key: 'total',
    title: cfdiWords.total,
    width: '8.5rem',
    isNumber: true,
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
];
