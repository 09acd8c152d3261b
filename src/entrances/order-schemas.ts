import type { z } from 'zod';
import {
  EARNINGS,
  ORDER_SHAPES,
  type OrderEarnings,
  type OrderView,
} from '../features/orders/index.ts';
import { may, type Role } from '../features/people/index.ts';
import { type JsonOf, schemaOf } from '../platform/fields.ts';

/** As in the lists of REST. */
export const CompactOrder = schemaOf<unknown>(ORDER_SHAPES.Order) as z.ZodObject;

/**
 * As REST gives a single order. Readers who may not see the seller's money get it without those
 * fields.
 */
export const FullOrder = (schemaOf<unknown>(ORDER_SHAPES.OrderDetail) as z.ZodObject).partial(
  Object.fromEntries(EARNINGS.map((name) => [name, true])) as Record<string, true> &
    Record<number, never>,
);

type OrderDetail = JsonOf<(typeof ORDER_SHAPES)['OrderDetail']>;
/** The type of what `FullOrder` describes. */
export type SeenOrder = Omit<OrderDetail, OrderEarnings> &
  Partial<Pick<OrderDetail, OrderEarnings>>;

/** What a person, or the agent of a person, sees of an order: what the role allows now. */
export function viewOf({ role }: { readonly role: Role }): OrderView {
  return may(role, 'read_money') ? 'whole' : 'without earnings';
}
