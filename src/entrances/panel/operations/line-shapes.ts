/** The shapes of lines in the panel. */
import { z } from 'zod';
import { MARKETPLACES, ORDER_STATUSES } from '../../../connectors/contract.ts';
import { LINE_ACTIONS, LINE_STATES } from '../../../features/warehouse/index.ts';
import { AddressShape } from './address-shape.ts';

const Order = z.object({
  id: z.string(),
  status: z.enum(ORDER_STATUSES),
  items: z.array(
    z.object({
      id: z.string().nullable(),
      sku: z.string().nullable(),
      title: z.string(),
      quantity: z.int(),
    }),
  ),
  tags: z.array(z.string()),
});

export const LineShape = z.object({
  line_id: z.string(),
  state: z.enum(LINE_STATES),
  marketplace: z.enum(MARKETPLACES),
  account_id: z.string(),
  pack_id: z.string().nullable(),
  orders: z.array(Order),
  packages: z.int(),
  own_fleet: z.boolean(),
  destination: AddressShape.nullable(),
  carrier: z.string().nullable(),
  tracking_number: z.string().nullable(),
  guide_number: z.string().nullable(),
  tracking_source: z.enum(['guide', 'manual']).nullable(),
  carrier_shipment_id: z.string().nullable(),
  staged_at: z.string(),
  in_transit_at: z.string().nullable(),
  transferred_at: z.string().nullable(),
});

/** `name`: the SKU, or the title of what was sold without one. */
export const Articles = z.array(z.object({ sku: z.string().nullable(), name: z.string() }));

/** What keeps a line from its guide. */
export const LineObstacleShape = z.object({
  code: z.enum([
    'missing_weight',
    'missing_dimensions',
    'missing_address',
    'guide_outcome_unknown',
  ]),
  articles: Articles,
});

export const Move = z.enum(LINE_ACTIONS);
