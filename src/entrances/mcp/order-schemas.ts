import type { z } from 'zod';
import type { AgentAccess } from '../../features/grants/index.ts';
import { EARNINGS, ORDER_SHAPES, type OrderView } from '../../features/orders/index.ts';
import { may } from '../../features/people/index.ts';
import { schemaOf } from '../../platform/fields.ts';

/** As in the lists of REST. */
export const CompactOrder = schemaOf(ORDER_SHAPES.Order) as z.ZodObject;

/**
 * As REST gives a single order. Agents of people who may not see the seller's money get it without
 * those fields.
 */
export const FullOrder = (schemaOf(ORDER_SHAPES.OrderDetail) as z.ZodObject).partial(
  Object.fromEntries(EARNINGS.map((name) => [name, true])) as Record<string, true> &
    Record<number, never>,
);

/** What the agent sees of an order: what its person's role allows now. */
export function viewOf({ role }: Pick<AgentAccess, 'role'>): OrderView {
  return may(role, 'read_money') ? 'whole' : 'without earnings';
}
