import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Output } from '../../client.ts';
import { queryOf } from '../../client.ts';
import { useFrame, useTimezone } from '../../frame/use-frame.ts';
import { openWords } from '../../open-words.ts';
import { ConnectLink } from '../../parts/ConnectLink.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { Money } from '../../parts/Money.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { When } from '../../parts/When.tsx';
import { useList } from '../../queries.ts';
import { openTags, statuses, words } from '../../words.ts';
import { OrderFilters } from './OrderFilters.tsx';
import { SavedViews } from './SavedViews.tsx';
import { filtersOf, isInApi, type OrderSearch } from './search.ts';
import { TONES } from './tones.ts';

type Page = Output<'orders.list'>;
type Order = Page['data'][number];
type OpenTag = Page['open'][number]['tag'];

export const route = createLazyRoute('/ordenes')({ component: OrdersScreen });

/** Filters that an export takes. */
const EXPORTED_TOO = ['from', 'to', 'marketplace'];

/** Loaded with the first order that is opened. */
const OrderDrawer = lazy(() =>
  import('./OrderDrawer.tsx').then(({ OrderDrawer: component }) => ({ default: component })),
);

function OrdersScreen() {
  const search = useSearch({ from: '/ordenes' });
  const navigate = useNavigate({ from: '/ordenes' });
  const { nameOf } = useServices();
  const filters = filtersOf(search, useTimezone());
  const list = useList('orders.list', filters);
  const hasKeys = useFrame().data?.navigation.some(({ place }) => place === 'keys') ?? false;
  const [wasOpened, setOpened] = useState(false);
  if (search.orden && !wasOpened) setOpened(true);
  const isFiltered = Object.keys(filters).length > 0;
  const isNarrowed = Object.keys(filters).some((name) => !EXPORTED_TOO.includes(name));
  const set = (next: Partial<OrderSearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  const open = ({ id, marketplace, account_id }: Order) =>
    set({ orden: id, de: marketplace, cuenta: account_id, origen: undefined }, OPENED);
  const close = useWayBack(() =>
    set({ orden: undefined, de: undefined, cuenta: undefined, origen: undefined }),
  );
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{words.orders.title}</h1>
        <div className="screen-acts">
          {hasKeys && isInApi(filters) && (
            <CopyButton
              className="button quiet"
              text={apiQuery(filters)}
              label={words.orders.copyQuery}
              done={words.orders.copiedQuery}
            />
          )}
          <ExportLink
            of="orders"
            isNarrowed={isNarrowed}
            marketplaces={search.marketplace}
            days={search}
          />
        </div>
      </div>
      <SavedViews search={search} onChange={set} />
      <OrderFilters search={search} onChange={set} />
      <PagedTable
        list={list}
        countOf={words.orders.count}
        notices={
          <>
            {list.first?.is_cut && <p className="notice">{words.orders.cut}</p>}
            {list.first && !list.first.is_complete && (
              <p className="notice">{words.orders.notComplete}</p>
            )}
          </>
        }
        empty={
          <EmptyState text={isFiltered ? words.orders.emptyFiltered : words.orders.empty}>
            {isFiltered ? null : <ConnectLink />}
          </EmptyState>
        }
        label={words.orders.title}
        columns={columnsWith(nameOf, openIn(list.pages))}
        keyOf={keyOf}
        onOpen={open}
        openKey={search.orden ? `${search.de} ${search.cuenta} ${search.orden}` : null}
      />
      <Suspense>{wasOpened && <OrderDrawer search={search} onClose={close} />}</Suspense>
    </section>
  );
}

function keyOf({ marketplace, account_id, id }: Omit<Page['open'][number], 'tag'>): string {
  return `${marketplace} ${account_id} ${id}`;
}

/** What is open of the orders, by their keys. */
function openIn(pages: readonly Page[]): ReadonlyMap<string, OpenTag[]> {
  const found = new Map<string, OpenTag[]>();
  // A process of the former release leaves it out, during an update.
  for (const { open = [] } of pages)
    for (const row of open) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row.tag]);
  return found;
}

function columnsWith(
  nameOf: (slug: string) => string,
  open: ReadonlyMap<string, OpenTag[]>,
): Column<Order>[] {
  const { orders } = words;
  return [
    {
      key: 'id',
      title: orders.id,
      width: '10rem',
      cell: ({ id }) => <code title={id}>{id}</code>,
    },
    {
      key: 'date',
      title: orders.date,
      width: '11.25rem',
      cell: ({ date_created }) => <When at={date_created} />,
    },
    {
      key: 'marketplace',
      title: orders.marketplace,
      width: '9.75rem',
      cell: ({ marketplace }) => <ServiceMark name={nameOf(marketplace)} />,
    },
    {
      key: 'status',
      title: orders.status,
      width: '9.25rem',
      cell: ({ status }) => <StatusBadge tone={TONES[status]} word={statuses[status]} />,
    },
    {
      key: 'buyer',
      title: orders.buyer,
      width: '7.5rem',
      cell: ({ buyer_name }) => buyer_name ?? <span className="faint">{orders.hiddenBuyer}</span>,
    },
    {
      key: 'items',
      title: orders.items,
      cell: (order) => (
        <>
          <OpenMark tags={open.get(keyOf(order)) ?? []} />
          <Items order={order} />
        </>
      ),
    },
    {
      key: 'total',
      title: orders.total,
      width: '8.25rem',
      isNumber: true,
      cell: ({ total, currency, status }) => (
        <Money amount={total} currency={currency} absent={orders.noTotal(status === 'cancelled')} />
      ),
    },
  ];
}

const MOST_URGENT: readonly OpenTag[] = ['cancellation_requested', 'open_claim', 'open_return'];

/** One word for all: a parcel that is perhaps not to be sent weighs most, then a claim. */
function OpenMark({ tags }: { tags: readonly OpenTag[] }) {
  const tag = MOST_URGENT.find((one) => tags.includes(one));
  if (!tag) return null;
  return (
    <span className="open-tag" title={tags.map((one) => openTags[one]).join(', ')}>
      {openWords.kinds[tag]}
    </span>
  );
}

function Items({ order: { items } }: { order: Order }) {
  const [first, ...rest] = items;
  if (!first) return words.parts.none;
  const text = words.orders.pieces(first.quantity, first.title);
  return (
    <span title={text}>
      {text}
      {rest.length > 0 && <span className="faint"> {words.orders.andMore(rest.length)}</span>}
    </span>
  );
}

function apiQuery(filters: Parameters<typeof queryOf>[0]): string {
  const query = queryOf(filters);
  const address = `${location.origin}/v1/orders${query === '' ? '' : `?${query}`}`;
  return `curl -H 'Authorization: Bearer TU_CLAVE' '${address}'`;
}
