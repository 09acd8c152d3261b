import { type ComponentProps, Fragment, type ReactNode } from 'react';
import type { Input, Output } from '../../client.ts';
import { momentText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { NativeStatus, StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { AMOUNTS, detailGroups, INSTANTS } from './detail-words.ts';
import type { ShipmentSearch } from './search.ts';
import { CATEGORY_TONES, carriers, categories, shipmentWords, sources } from './words.ts';
import './shipments.css';

type Found = Output<'shipments.get'>;
type Shipment = Found['data'];

interface ShipmentDrawerProps {
  readonly search: ShipmentSearch;
  readonly onClose: () => void;
}

/** One shipment, over the list; the address names it. */
export function ShipmentDrawer({
  search: { envio = '', de = '', cuenta = '' },
  onClose,
}: ShipmentDrawerProps) {
  const which = { carrier: de as Input<'shipments.get'>['carrier'], account_id: cuenta, id: envio };
  const { data, error, refetch } = useRead('shipments.get', which, { isEnabled: envio !== '' });
  const title = shipmentWords.one(data?.data.tracking_number ?? envio);
  return (
    <SidePanel isOpen={envio !== ''} title={title} onClose={onClose}>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && <Details found={data} />}
    </SidePanel>
  );
}

function Details({ found }: { found: Found }) {
  // A process of the former release leaves the last one out, during an update.
  const { data: shipment, details, guide_orders, handed_over: left = null } = found;
  const { status, carrier_status, tracking_number, carrier } = shipment;
  return (
    <div className="details">
      <p className="details-head">
        <StatusBadge tone={CATEGORY_TONES[status]} word={categories[status]} />
        {tracking_number && <CopyButton text={tracking_number} />}
      </p>
      <p>
        <NativeStatus source={carriers[carrier]} raw={carrier_status} />
      </p>
      {left && status === 'PREPARACION' && (
        <p>
          {shipmentWords.left}: <When at={left.at} /> {shipmentWords.notReported}
        </p>
      )}
      <Facts shipment={shipment} guideOrders={guide_orders} />
      <h3>{shipmentWords.events}</h3>
      <Events events={shipment.events} left={left} source={carriers[carrier]} />
      {details && (
        <>
          <h3>{shipmentWords.details(carriers[carrier])}</h3>
          {detailGroups.map(({ title, fields }) => (
            <details key={title}>
              <summary>{title}</summary>
              <Pairs
                pairs={Object.entries(fields)
                  .filter(([name]) => name in details)
                  .map(([name, label]) => [
                    label,
                    <Value key={name} name={name} of={details} currency={shipment.currency} />,
                  ])}
              />
            </details>
          ))}
        </>
      )}
    </div>
  );
}

interface FactsProps {
  readonly shipment: Shipment;
  readonly guideOrders: Found['guide_orders'];
}

function Facts({ shipment: of, guideOrders }: FactsProps) {
  const { accountOf } = useServices();
  const moment = (at: string | null) => at && <When at={at} />;
  const money = (amount: number | null | undefined) =>
    typeof amount === 'number' && <Money amount={amount} currency={of.currency} />;
  return (
    <Pairs
      pairs={(
        [
          [shipmentWords.carrier, <ServiceMark key="c" name={carriers[of.carrier]} />],
          [shipmentWords.account, accountOf(of.carrier, of.account_id)],
          [shipmentWords.guide, of.guide_number && <code>{of.guide_number}</code>],
          [
            shipmentWords.order,
            <OrdersOf key="o" order={of.order_ref} guideOrders={guideOrders} />,
          ],
          [shipmentWords.reference, of.order_ref.reference],
          [shipmentWords.finalCarrier, of.final_carrier],
          [shipmentWords.service, of.service_type],
          [shipmentWords.created, moment(of.created_at)],
          [shipmentWords.pickedUp, moment(of.picked_up_at)],
          [shipmentWords.estimated, moment(of.estimated_delivery)],
          [shipmentWords.delivered, moment(of.delivered_at)],
          [shipmentWords.origin, locationOf(of.origin)],
          [shipmentWords.place, locationOf(of.destination)],
          [shipmentWords.contents, of.contents],
          [shipmentWords.weight, of.weight_kg !== null && shipmentWords.kilograms(of.weight_kg)],
          [shipmentWords.dimensions, sidesOf(of)],
          [shipmentWords.declared, money(of.declared_value)],
          [shipmentWords.cost, money(of.cost)],
          [shipmentWords.parent, of.parent_id && <code>{of.parent_id}</code>],
          [shipmentWords.isReturn, of.is_return && shipmentWords.yes],
          [shipmentWords.isDamaged, of.is_damaged && shipmentWords.yes],
        ] satisfies [string, ReactNode][]
      ).filter(([, value]) => value !== null && value !== false && value !== '')}
    />
  );
}

function Pairs({ pairs }: { pairs: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="pairs">
      {pairs.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

interface OrdersOfProps extends Pick<FactsProps, 'guideOrders'> {
  readonly order: Shipment['order_ref'];
}

/** Its order, or those of the pack that its guide was made for. */
function OrdersOf({ order, guideOrders }: OrdersOfProps) {
  const { order_id } = order;
  if (order_id !== null) return <NamedOrder order={{ ...order, order_id }} />;
  if (guideOrders.length === 0) return <span className="faint">{shipmentWords.noOrder}</span>;
  return guideOrders.map((one) => (
    <div key={one.order_id}>
      <NamedOrder order={one} />
    </div>
  ));
}

function NamedOrder({ order }: Pick<ComponentProps<typeof OrderLink>, 'order'>) {
  return (
    <>
      <code>{order.order_id}</code> <OrderLink order={order}>{shipmentWords.seeOrder}</OrderLink>
    </>
  );
}

interface EventsProps extends Pick<Shipment, 'events'> {
  readonly left: Found['handed_over'];
  readonly source: string;
}

/** What the carrier says, and between it when the parcel left the warehouse. */
function Events({ events, left, source }: EventsProps) {
  if (events.length === 0 && left === null)
    return <p className="faint">{shipmentWords.noEvents}</p>;
  // Without it nothing is after it.
  const leftAt = left === null ? Number.NaN : Date.parse(left.at);
  const isAfter = ({ occurred_at }: Event) => Date.parse(occurred_at) > leftAt;
  const newest = events.toReversed();
  const shown = (event: Event) => (
    <OneEvent key={`${event.code} ${event.occurred_at}`} event={event} source={source} />
  );
  return (
    <ol className="timeline">
      {newest.filter(isAfter).map(shown)}
      {left && <Left left={left} />}
      {newest.filter((event) => !isAfter(event)).map(shown)}
    </ol>
  );
}

type Event = Shipment['events'][number];

function Left({ left: { at, by } }: { left: NonNullable<Found['handed_over']> }) {
  return (
    <li>
      <span className="event">
        <StatusBadge tone="busy" word={shipmentWords.left} />
        {by !== null && <span className="faint">{shipmentWords.leftBy(by)}</span>}
      </span>
      <span className="faint">
        <When at={at} />
      </span>
    </li>
  );
}

function OneEvent({ event, source }: { event: Event; source: string }) {
  return (
    <li>
      <span className="event">
        <StatusBadge
          tone={event.status === null ? 'warn' : CATEGORY_TONES[event.status]}
          word={event.status === null ? shipmentWords.unknownCode : categories[event.status]}
        />
        <span>{[event.description, event.location].filter(Boolean).join(' · ')}</span>
        <NativeStatus source={source} raw={event.code} />
        <span className="faint">
          {shipmentWords.source}: {sources[event.source]}
        </span>
      </span>
      <span className="faint">
        <When at={event.occurred_at} />
      </span>
    </li>
  );
}

interface ValueProps {
  readonly name: string;
  readonly of: NonNullable<Found['details']>;
  readonly currency: string;
}

function Value({ name, of, currency }: ValueProps) {
  const timezone = useTimezone();
  const value = of[name] ?? null;
  if (value === null || value === '') return <span className="faint">{words.parts.none}</span>;
  if (AMOUNTS.has(name)) return <Money amount={Number(value)} currency={currency} />;
  return INSTANTS.has(name) ? momentText(String(value), timezone) : String(value);
}

function locationOf(location: Shipment['origin']): string {
  return [location?.city, location?.state, location?.zipcode].filter(Boolean).join(', ');
}

function sidesOf({ dimensions_cm }: Shipment): string {
  return dimensions_cm
    .map(({ length, width, height }) => shipmentWords.sides(length, width, height))
    .join('; ');
}
