import type { Output } from '../../client.ts';
import { CANCELLATION_REQUESTED } from '../../open-words.ts';
import { warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];

/** What people call a line: its order, or its pack. */
export function ordersOf({ orders, pack_id }: Named): string {
  const [first] = orders;
  if (pack_id !== null && orders.length > 1) return pack_id;
  return first?.id ?? pack_id ?? warehouseWords.noOrders;
}

interface Named {
  readonly orders: readonly { readonly id: string }[];
  readonly pack_id: string | null;
}

export function isCancellationRequested({ orders }: Pick<Line, 'orders'>): boolean {
  return orders.some(({ tags }) => tags.includes(CANCELLATION_REQUESTED));
}

export function goodsOf({ orders }: Pick<Line, 'orders'>): string {
  const [first, ...rest] = orders.flatMap(({ items }) => items);
  if (!first) return '';
  const text = warehouseWords.pieces(first.quantity, first.title);
  return rest.length > 0 ? `${text} ${warehouseWords.andMore(rest.length)}` : text;
}
