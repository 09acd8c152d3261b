/** The shapes of lines and guides in the panel. */
import { z } from 'zod';
import { MARKETPLACES, ORDER_STATUSES } from '../../../connectors/contract.ts';
import { may, type Role } from '../../../features/people/index.ts';
import {
  type Attempt,
  LINE_ACTIONS,
  LINE_STATES,
  presentAttempt,
  withoutMoney,
} from '../../../features/warehouse/index.ts';
import { identifiers } from '../../../platform/input-fields.ts';
import { AddressShape } from './address-shape.ts';

const ID = '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28';

/** The id of a line, an attempt or a batch. */
export function idField(description: string) {
  return z.uuid().meta({ description, examples: [ID] });
}

const ID_LENGTH = 36;

/** Several lines. */
export function lineIdsField(description: string) {
  return identifiers(description, [ID], ID_LENGTH, 'no es el identificador de una línea.');
}

/** Those of the body of a change, up to so many. */
export function lineIdsIn(most: number) {
  return z
    .array(z.uuid())
    .min(1)
    .max(most)
    .meta({ description: 'Las líneas.', examples: [[ID]] });
}

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

export const Fault = z.object({ code: z.string(), message: z.string() });

/** Of a guide; left out for roles that do not see money. */
export const Cost = z.object({
  amount: z.number().nullable().optional(),
  available_balance: z.number().nullable().optional(),
  currency: z.string().optional(),
});

export const AttemptShape = Cost.extend({
  attempt_id: z.string(),
  reference: z.string(),
  state: z.enum(['queued', 'sent', 'ok', 'failed', 'unknown']),
  carrier: z.string(),
  tracking: z.string().nullable(),
  guide: z.string().nullable(),
  has_zpl: z.boolean(),
  has_pdf: z.boolean(),
  error: Fault.nullable(),
  queued_at: z.string(),
  sent_at: z.string().nullable(),
  settled_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
});

/** An attempt as a person with this role sees it. */
export function shownAttempt(attempt: Attempt, role: Role): z.output<typeof AttemptShape> {
  const shown = presentAttempt(attempt);
  const seen = may(role, 'read_money') ? shown : withoutMoney(shown);
  return seen as unknown as z.output<typeof AttemptShape>;
}
