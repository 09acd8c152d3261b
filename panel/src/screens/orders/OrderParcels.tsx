import type { Output } from '../../client.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { ShipmentLink } from '../../parts/ShipmentLink.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';

type Order = Output<'orders.get'>['data'];

/** What the marketplace says of the parcel, and the carriers' own shipments. */
export function OrderParcels({ order }: { order: Order }) {
  const { nameOf } = useServices();
  const { data } = useRead('shipments.of-order', { order_id: order.id });
  const { shipping } = order;
  const parcels = data?.data ?? [];
  if (parcels.length === 0 && !shipping?.tracking_number)
    return (
      <>
        <h3>{words.order.parcels}</h3>
        <p className="faint">{words.order.noParcels}</p>
      </>
    );
  return (
    <>
      <h3>{words.order.parcels}</h3>
      <ul className="items">
        {parcels.length === 0 && shipping?.tracking_number && (
          <Parcel
            carrier={shipping.carrier ?? words.parts.none}
            tracking={shipping.tracking_number}
            status={shipping.status}
          />
        )}
        {parcels.map(({ id, carrier, tracking_number, status, last_event }) => (
          <Parcel
            key={id}
            carrier={nameOf(carrier)}
            tracking={tracking_number}
            status={last_event?.description ?? status}
            at={last_event?.occurred_at}
            isShipment
          />
        ))}
      </ul>
    </>
  );
}

interface ParcelProps {
  readonly carrier: string;
  readonly tracking: string | null;
  readonly status: string | null;
  readonly at?: string | undefined;
  /** Whether it is one of Envíos. */
  readonly isShipment?: boolean;
}

function Parcel({ carrier, tracking, status, at, isShipment = false }: ParcelProps) {
  return (
    <li>
      <div>
        <strong>{carrier}</strong>
        {tracking && (
          <span>
            {isShipment ? (
              <ShipmentLink tracking={tracking}>
                <code>{tracking}</code>
              </ShipmentLink>
            ) : (
              <code>{tracking}</code>
            )}{' '}
            <CopyButton text={tracking} />
          </span>
        )}
        <span className="faint">{status}</span>
      </div>
      <div className="number faint">{at && <When at={at} />}</div>
    </li>
  );
}
