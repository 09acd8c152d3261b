import { parseLossless } from '../../platform/json.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { readEach, readOne } from '../kit.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { askPage, type Place, type RowPage, START } from './paging.ts';
import { isVariable, ownsStock, productIdOf, toProductStock, toVariationStock } from './wire-stock.ts';

type WooCall = Call<WooCommerceCredentials>;

/** More are no product: the store repeats itself. */
const MOST_VARIATIONS = 10_000;

/** Every product, each time: what an order takes from the shelf does not count as a change of its product. */
export const inventory: Stream<SourceStock, WooCommerceCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const place: Place = position === null ? START : JSON.parse(position);
    const { rows, next } = await askPage(call, '/products', place, { order: 'asc' });
    const items = (await Promise.all(rows.map((row) => readProduct(call, row)))).flat();
    return { items, next: next && JSON.stringify(next) };
  },

  async one(call, id) {
    const path = `/products/${encodeURIComponent(id)}`;
    const { status, body } = await call.request({ method: 'GET', path });
    return status === 404 ? [] : readProduct(call, parseLossless(body));
  },
};

/** A product with variations is not for sale itself. */
async function readProduct(call: WooCall, product: unknown): Promise<Read<SourceStock>[]> {
  const id = productIdOf(product);
  if (id === null || !isVariable(product))
    return ownsStock(product) ? [readOne(product, () => toProductStock(product))] : [];
  const variations: unknown[] = [];
  let place: Place | null = START;
  while (place && variations.length < MOST_VARIATIONS) {
    const path = `/products/${encodeURIComponent(id)}/variations`;
    const page: RowPage = await askPage(call, path, place, { order: 'asc' });
    variations.push(...page.rows);
    place = page.next;
  }
  const levels = readEach(variations, (variation) => toVariationStock(variation, product));
  return place ? [...levels, cutShort(id)] : levels;
}

/** Nothing is concluded from the absence of what was not asked for. */
function cutShort(id: string): Read<SourceStock> {
  const reason = `more than ${MOST_VARIATIONS} variations`;
  return { ok: false, externalId: id, reason, raw: JSON.stringify({ id, reason }) };
}
