import { z } from 'zod';
import { listShipments, SHIPMENT_FILTERS } from '../../../features/shipments/index.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const { order_id } = SHIPMENT_FILTERS;
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
  input: inputOf({ order_id, ...pageInput({ usual: MOST, most: MOST }) }),
  output: z.object({ data: z.array(Parcel), next_cursor: z.string().nullable() }),
  async run({ scope, cursors }, query) {
    const all = { carrier: null, category: [], trackingNumber: null, from: null, to: null };
    const page = await listShipments(scope, cursors, { ...all, ...query, withEvents: true });
    return {
      data: page.shipments.map((shipment) => {
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
      next_cursor: page.nextCursor,
    };
  },
});
