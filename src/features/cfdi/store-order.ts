import type { OrderIdentity } from '../orders/index.ts';

/** An order by its whole identity, or all orders of one id. */
export type NamedOrder = Pick<OrderIdentity, 'id'> & Partial<OrderIdentity>;

/** Null = of no order in particular. */
export function withId(id: string | null): NamedOrder | null {
  return id === null ? null : { id };
}

/** Adds a value to a statement. @returns its parameter */
export type Bind = (value: unknown, type: string) => string;

/** The condition that a row with these columns names the order. */
export function isOrder(table: string, { marketplace, accountId, id }: NamedOrder, bind: Bind) {
  const conditions = [`${table}.order_id = ${bind(id, 'text')}`];
  if (marketplace) conditions.push(`${table}.marketplace = ${bind(marketplace, 'text')}`);
  if (accountId) conditions.push(`${table}.account_id = ${bind(accountId, 'text')}`);
  return conditions.join(' and ');
}
