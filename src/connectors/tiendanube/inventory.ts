import type { SourceStock, Stream } from '../contract.ts';
import { type PagePosition, pagePositionOf } from '../paging.ts';
import { tooLarge } from '../too-large.ts';
import { askId, askOne, askPage, PAGE_SIZE, type TiendanubeCall } from './pages.ts';
import { readProduct } from './wire.ts';

/**
 * Every product, each time: whether a sale moves its product's time of change is not documented.
 */
export const inventory: Stream<SourceStock, TiendanubeCall['credentials']> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = pagePositionOf(request, PAGE_SIZE);
    const { rows, hasNext } = await askPage(call, '/products', position);
    return { items: rows.flatMap(readProduct), next: hasNext ? after(position) : null };
  },

  async tooLarge(call, request) {
    const position = pagePositionOf(request, PAGE_SIZE);
    const { id, listed } = await askId(call, '/products', position);
    return {
      items: id === null ? [] : [tooLarge(id)],
      next: listed.hasNext ? after(position) : null,
    };
  },

  async one(call, id) {
    const found = await askOne(call, `/products/${encodeURIComponent(id)}`, {});
    return found ? readProduct(found.row) : [];
  },
};

function after({ page, size }: PagePosition): string {
  return JSON.stringify({ page: page + 1, size });
}
