import { z } from 'zod';
import { CARRIERS, SHIPMENT_CATEGORIES } from '../../../carriers/contract.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { may, type Role } from '../../../features/people/index.ts';
import {
  describeShipment,
  listOrphans,
  listShipments,
  ordersOfGuide,
  SHIPMENT,
  SHIPMENT_FILTERS,
  writeShipment,
} from '../../../features/shipments/index.ts';
import { handoverOf, handoversOf } from '../../../features/warehouse/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { schemaOf, shape } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';
import { actorName, memberNames } from './actors.ts';
import { named } from './named-field.ts';

const READ = { action: 'read_shipments', capability: null } as const;
const LONGEST_ID = 200;

const Row = schemaOf(shape('Un envío.', fieldsIn('list', SHIPMENT)));
const Whole = schemaOf(shape('Un envío.', fieldsIn('detail', SHIPMENT)));
/** What it cost is left out for roles that do not see money. */
type Seen<Shipment extends { cost: unknown }> = Omit<Shipment, 'cost'> &
  Partial<Pick<Shipment, 'cost'>>;

interface HandedOver {
  /** When it left the warehouse, where its carrier does not report it yet. */
  handed_over_at?: string;
}

/** The shipments of both carriers, newest first. */
export const listShipmentsOperation = defineRead({
  ...READ,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...SHIPMENT_FILTERS }),
  output: z.object({
    data: z.array(Row as unknown as z.ZodType<Seen<z.output<typeof Row>> & HandedOver>),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors, role }, query) {
    const { shipments, nextCursor } = await listShipments(scope, cursors, {
      ...query,
      withEvents: false,
    });
    const waiting = shipments.flatMap(({ category, trackingNumber }) =>
      category === 'PREPARACION' && trackingNumber !== null ? [trackingNumber] : [],
    );
    const left = await handoversOf(scope, waiting);
    const rows = shipments.map((one) => {
      const row = writeShipment(one, 'list', readerOf(role));
      const at = one.trackingNumber === null ? undefined : left.get(one.trackingNumber);
      return at ? `${row.slice(0, -1)},"handed_over_at":"${formatMillis(at)}"}` : row;
    });
    return { written: `{"data":[${rows}],"next_cursor":${JSON.stringify(nextCursor)}}` };
  },
});

/** Of a carrier's own data model: what the seller pays and declares. */
const MONEY = new Set(['declared_value', 'subtotal_amount', 'tax_amount', 'total_amount']);

/** One shipment with its history, and every field of its carrier's own data model. */
export const getShipmentOperation = defineRead({
  ...READ,
  input: inputOf({
    carrier: z.enum(CARRIERS).meta({ description: 'La paquetería.', examples: [CARRIERS[0]] }),
    account_id: named('La cuenta de la paquetería.', '77', LONGEST_ID),
    id: named('El envío.', '41234567', LONGEST_ID),
  }),
  output: z.object({
    data: Whole as unknown as z.ZodType<Seen<z.output<typeof Whole>>>,
    /** Null = the carrier has no data model of its own. Amounts and measures are texts. */
    details: z.record(z.string(), z.union([z.string(), z.number()]).nullable()).nullable(),
    /** Of a guide that was made here, also where they are several and the shipment has none. */
    guide_orders: z.array(
      z.object({ order_id: z.string(), marketplace: z.enum(MARKETPLACES), account_id: z.string() }),
    ),
    /** When it left the warehouse, whatever its carrier says; null = not known. */
    handed_over: z.object({ at: z.string(), by: z.string().nullable() }).nullable(),
  }),
  async run({ scope, role }, which) {
    const { shipment, details } = await describeShipment(scope, which);
    const seen = Object.entries(details ?? {}).filter(
      ([name]) => !MONEY.has(name) || may(role, 'read_money'),
    );
    const shown = JSON.stringify(details && Object.fromEntries(seen));
    const data = writeShipment(shipment, 'detail', readerOf(role));
    const orders = (await ordersOfGuide(scope, shipment.orderReference)).map((order) => ({
      order_id: order.id,
      marketplace: order.marketplace,
      account_id: order.accountId,
    }));
    const own = JSON.stringify({
      guide_orders: orders,
      handed_over: await handoverShown(scope, shipment.trackingNumber),
    });
    return { written: `{"data":${data},"details":${shown},${own.slice(1)}` };
  },
});

async function handoverShown(scope: ReadScope, trackingNumber: string | null) {
  const left = trackingNumber === null ? null : await handoverOf(scope, trackingNumber);
  if (left === null) return null;
  const by = left.actor && actorName(left.actor, await memberNames(scope));
  return { at: formatMillis(left.at), by };
}

/** Events whose shipment is not known yet; it is linked when it is read. */
export const listOrphansOperation = defineRead({
  ...READ,
  input: inputOf(pageInput({ usual: 50, most: 100 })),
  output: z.object({
    data: z.array(
      z.object({
        carrier: z.enum(CARRIERS),
        tracking_number: z.string(),
        code: z.string(),
        status: z.enum(SHIPMENT_CATEGORIES).nullable(),
        description: z.string().nullable(),
        location: z.string().nullable(),
        occurred_at: z.string(),
        recorded_at: z.string(),
        source: z.enum(['webhook', 'tracking_history']),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors }, query) {
    const { events, nextCursor } = await listOrphans(scope, cursors, query);
    return {
      data: events.map((event) => ({
        carrier: event.carrier,
        tracking_number: event.trackingNumber,
        code: event.code,
        status: event.category,
        description: event.description,
        location: event.location,
        occurred_at: formatMillis(event.occurredAt),
        recorded_at: formatMillis(event.recordedAt),
        source: event.source,
      })),
      next_cursor: nextCursor,
    };
  },
});

function readerOf(role: Role) {
  return { seesEarnings: may(role, 'read_money') };
}
