import type { Pass, SourceStock, Stream } from '../contract.ts';
import { tooLarge } from '../kit.ts';
import { type Turn, turnOfPages } from '../paging.ts';
import { askId, askOne, askPage, PAGE_SIZE, type TiendanubeCall } from './pages.ts';
import { readProduct } from './wire.ts';

/**
 * Every product, each time: whether a sale moves its product's time of change is not documented.
 */
export const inventory: Stream<SourceStock, TiendanubeCall['credentials']> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  pageSize: PAGE_SIZE,

  async page(call, pass) {
    const turn = turnOf(pass);
    const { rows, hasNext } = await askPage(call, '/products', turn);
    return { items: rows.flatMap(readProduct), next: hasNext ? after(turn) : null };
  },

  async tooLarge(call, pass) {
    const turn = turnOf(pass);
    const { id, listed } = await askId(call, '/products', turn);
    return { items: id === null ? [] : [tooLarge(id)], next: listed.hasNext ? after(turn) : null };
  },

  async one(call, id) {
    const found = await askOne(call, `/products/${encodeURIComponent(id)}`, {});
    return found ? readProduct(found.row) : [];
  },
};

/** Positions of an older release are the number of a page. */
function turnOf({ position, limit }: Pass): Turn {
  const at: Turn | number = position === null ? 1 : JSON.parse(position);
  return turnOfPages(limit, typeof at === 'number' ? { page: at, size: PAGE_SIZE } : at);
}

function after({ page, size }: Turn): string {
  return JSON.stringify({ page: page + 1, size });
}
