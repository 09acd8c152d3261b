import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { type Output, organizationId } from '../../client.ts';
import { dayOfText, momentText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { ConnectLink } from '../../parts/ConnectLink.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { DayOf, When } from '../../parts/When.tsx';
import { useList } from '../../queries.ts';
import { words } from '../../words.ts';
import { Orphans } from './Orphans.tsx';
import { ShipmentDrawer } from './ShipmentDrawer.tsx';
import { ShipmentFilters } from './ShipmentFilters.tsx';
import { filtersOf, type ShipmentSearch } from './search.ts';
import { CATEGORY_TONES, carriers, categories, shipmentWords } from './words.ts';

type Shipment = Output<'shipments.list'>['data'][number];

const AGAIN_EVERY_MS = 30_000;
const VIEWS = ['envios', 'sin-envio'] as const;

export const route = createLazyRoute('/envios')({ component: ShipmentsScreen });

function ShipmentsScreen() {
  const search = useSearch({ from: '/envios' });
  const navigate = useNavigate({ from: '/envios' });
  const set = (next: Partial<ShipmentSearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{shipmentWords.title}</h1>
        {search.ver !== 'sin-envio' && <ExportLink of="shipments" days={search} />}
      </div>
      <Tabs
        label={shipmentWords.show}
        names={VIEWS}
        chosen={search.ver ?? 'envios'}
        wordOf={(name) => shipmentWords.views[name]}
        onChoose={(name) => set({ ver: name === 'envios' ? undefined : name })}
      />
      {search.ver === 'sin-envio' ? (
        <Orphans onShipments={() => set({ ver: undefined })} />
      ) : (
        <Shipments search={search} onChange={set} />
      )}
    </section>
  );
}

interface ShipmentsProps {
  readonly search: ShipmentSearch;
  readonly onChange: (next: Partial<ShipmentSearch>, how?: object) => void;
}

function Shipments({ search, onChange }: ShipmentsProps) {
  const filters = filtersOf(search, useTimezone());
  const list = useList('shipments.list', filters, { againEveryMs: AGAIN_EVERY_MS });
  const isFiltered = Object.keys(filters).length > 0;
  const { envio, de, cuenta } = search;
  const close = useWayBack(() => onChange({ envio: undefined, de: undefined, cuenta: undefined }));
  return (
    <>
      <ShipmentFilters search={search} onChange={onChange} />
      <PagedTable
        list={list}
        countOf={shipmentWords.count}
        empty={isFiltered ? <EmptyState text={shipmentWords.emptyFiltered} /> : <NoShipments />}
        label={shipmentWords.title}
        columns={COLUMNS}
        keyOf={keyOf}
        onOpen={({ id, carrier, account_id }) =>
          onChange({ envio: id, de: carrier, cuenta: account_id }, OPENED)
        }
        openKey={envio ? `${de} ${cuenta} ${envio}` : null}
      />
      <ShipmentDrawer search={search} onClose={close} />
    </>
  );
}

/** A carrier that is connected tells them within minutes: the way leads to the guides. */
function NoShipments() {
  const { hasCarrier, isLoading } = useServices();
  if (isLoading) return <p role="status">{words.parts.loading}</p>;
  if (!hasCarrier)
    return (
      <EmptyState text={shipmentWords.empty}>
        <ConnectLink word={shipmentWords.connect} />
      </EmptyState>
    );
  return (
    <EmptyState text={shipmentWords.emptyConnected}>
      <PanelLink className="button" address={`/panel/${organizationId}/almacen`}>
        {shipmentWords.seeWarehouse}
      </PanelLink>
    </EmptyState>
  );
}

function keyOf({ carrier, account_id, id }: Shipment): string {
  return `${carrier} ${account_id} ${id}`;
}

const COLUMNS: readonly Column<Shipment>[] = [
  {
    key: 'id',
    title: shipmentWords.tracking,
    width: '11rem',
    cell: ({ tracking_number, id }) => <code title={id}>{tracking_number ?? id}</code>,
  },
  {
    key: 'date',
    title: shipmentWords.created,
    isNamed: true,
    width: '7.5rem',
    cell: ({ created_at }) => <DayOf at={created_at} />,
  },
  {
    key: 'marketplace',
    title: shipmentWords.carrier,
    width: '9rem',
    cell: ({ carrier }) => <ServiceMark name={carriers[carrier]} />,
  },
  {
    key: 'status',
    title: shipmentWords.status,
    width: '12rem',
    cell: (shipment) => <Standing shipment={shipment} />,
  },
  {
    key: 'items',
    title: shipmentWords.order,
    cell: ({ order_ref: { order_id, reference, ...account } }) =>
      order_id === null ? (
        <span className="faint">{reference ?? shipmentWords.noOrder}</span>
      ) : (
        <OrderLink order={{ order_id, ...account }}>
          <code title={order_id}>{order_id}</code>
        </OrderLink>
      ),
  },
  {
    key: 'buyer',
    title: shipmentWords.place,
    width: '9.5rem',
    cell: ({ destination }) =>
      destination?.city ?? <span className="faint">{words.parts.none}</span>,
  },
  {
    key: 'total',
    title: shipmentWords.delivery,
    width: '11.25rem',
    cell: (shipment) => <Delivery shipment={shipment} />,
  },
];

/** What its carrier says; until it reports the parcel, also that it left the warehouse. */
function Standing({ shipment: { status, handed_over_at: at } }: { shipment: Shipment }) {
  const timezone = useTimezone();
  return (
    <>
      <StatusBadge tone={CATEGORY_TONES[status]} word={categories[status]} />
      {at && (
        <span className="faint" title={`${shipmentWords.left}: ${momentText(at, timezone)}`}>
          {' '}
          {shipmentWords.isGone}
        </span>
      )}
    </>
  );
}

/** The moment of the delivery, or the day for which the carrier announces it. */
function Delivery({ shipment }: { shipment: Shipment }) {
  const { delivered_at, estimated_delivery } = shipment;
  const timezone = useTimezone();
  if (delivered_at) return <When at={delivered_at} />;
  if (!estimated_delivery) return <span className="faint absent">{words.parts.none}</span>;
  return (
    <time dateTime={estimated_delivery} title={shipmentWords.estimated}>
      {dayOfText(estimated_delivery, timezone)}{' '}
      <span className="faint">{shipmentWords.isEstimated}</span>
    </time>
  );
}
