import type { ReactNode } from 'react';
import type { Output } from '../../client.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ShipmentLink } from '../../parts/ShipmentLink.tsx';
import { NativeStatus } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { shipmentCategories, words } from '../../words.ts';
import { whichOf } from './which.ts';

type Order = Output<'orders.get'>['data'];

/** What the marketplace says of the parcel, and the carriers' own shipments. */
export function OrderParcels({ order }: { order: Order }) {
  const { data, error, refetch } = useRead('shipments.of-order', whichOf(order));
  return (
    <>
      <h3>{words.order.parcels}</h3>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {(error ?? data) && <Parcels order={order} parcels={data?.data ?? null} />}
    </>
  );
}

interface ParcelsProps {
  readonly order: Order;
  /** Null = they could not be read. */
  readonly parcels: Output<'shipments.of-order'>['data'] | null;
}

function Parcels({ order: { shipping, marketplace }, parcels }: ParcelsProps) {
  const { nameOf } = useServices();
  if (!parcels?.length && !shipping?.tracking_number)
    return parcels && <p className="faint">{words.order.noParcels}</p>;
  return (
    <ul className="items">
      {!parcels?.length && shipping?.tracking_number && (
        <Parcel
          carrier={shipping.carrier ?? words.parts.none}
          tracking={shipping.tracking_number}
          status={
            shipping.status && <NativeStatus source={nameOf(marketplace)} raw={shipping.status} />
          }
        />
      )}
      {parcels?.map(({ id, carrier, tracking_number, status, last_event }) => (
        <Parcel
          key={id}
          carrier={nameOf(carrier)}
          tracking={tracking_number}
          status={last_event?.description ?? (status && shipmentCategories[status])}
          at={last_event?.occurred_at}
          isShipment
        />
      ))}
    </ul>
  );
}

interface ParcelProps {
  readonly carrier: string;
  readonly tracking: string | null;
  readonly status: ReactNode;
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
