import { z } from 'zod';
import { listShipmentsOfOrder } from '../../../features/shipments/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';
import { ORDER_INPUT } from './order-input.ts';

const MOST = 20;

const Event = z.object({
  description: z.string().nullable(),
  location: z.string().nullable(),
  occurred_at: z.string(),
});
const Parcel = z.object({
  id: z.string(),
  carrier: z.string(),
  tracking_number: z.string().nullable(),
  guide_number: z.string().nullable(),
  status: z.string().nullable(),
  carrier_status: z.string(),
  /** The newest one. */
  last_event: Event.nullable(),
});

/** The parcels that carry an order, newest first. */
export const listShipmentsOfOrderOperation = defineRead({
  action: 'read_shipments',
  capability: null,
  input: inputOf(ORDER_INPUT),
  output: z.object({ data: z.array(Parcel) }),
  async run({ scope }, { marketplace, accountId, orderId }) {
    const order = { marketplace, accountId, id: orderId };
    const shipments = await listShipmentsOfOrder(scope, order, MOST);
    return {
      data: shipments.map((shipment) => {
        const last = shipment.events.at(-1);
        return {
          id: shipment.id,
          carrier: shipment.carrier,
          tracking_number: shipment.trackingNumber,
          guide_number: shipment.guideNumber,
          status: shipment.category,
          carrier_status: shipment.carrierStatus,
          last_event: last
            ? {
                description: last.description,
                location: last.location,
                occurred_at: formatMillis(last.occurredAt),
              }
            : null,
        };
      }),
    };
  },
});
