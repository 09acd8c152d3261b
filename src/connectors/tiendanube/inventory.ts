import type { SourceStock, Stream } from '../contract.ts';
import { askOne, askPage, type TiendanubeCall } from './pages.ts';
import { readProduct } from './wire.ts';

/** Every product, each time: whether a sale moves its product's time of change is not documented. */
export const inventory: Stream<SourceStock, TiendanubeCall['credentials']> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const page = Number(position ?? 1);
    const { rows, hasNext } = await askPage(call, '/products', page);
    return { items: rows.flatMap(readProduct), next: hasNext ? String(page + 1) : null };
  },

  async one(call, id) {
    const found = await askOne(call, `/products/${encodeURIComponent(id)}`, {});
    return found ? readProduct(found.row) : [];
  },
};
