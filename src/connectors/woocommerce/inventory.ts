import { parseLossless } from '../../platform/json.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { apart, nameIn, readEach, readOne, tooLarge } from '../kit.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { askId, askPage, PAGE_SIZE, type Place, type RowPage, START } from './paging.ts';
import { isVariable, ownsStock, productIdOf, toProductStock, toVariationStock } from './wire-stock.ts';

type WooCall = Call<WooCommerceCredentials>;

/** More are no product: the store repeats itself. */
const MOST_VARIATIONS = 10_000;
/** Descriptions, pictures and what plugins add are most of a product. */
const FIELDS = 'id,name,type,parent_id,sku,status,manage_stock,stock_quantity,stock_status,attributes';
const LIST = { order: 'asc', _fields: FIELDS } as const;

/** Every product, each time: what an order takes from the shelf does not count as a change of its product. */
export const inventory: Stream<SourceStock, WooCommerceCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const { rows, next } = await askPage(call, '/products', placeOf(position), limit, LIST);
    const items = (
      await Promise.all(rows.map((row) => apart(nameIn(row, 'id'), () => readProduct(call, row))))
    ).flat();
    return { items, next: next && JSON.stringify(next) };
  },

  async tooLarge(call, { position }) {
    const { id, next } = await askId(call, '/products', placeOf(position), { order: 'asc' });
    return { items: id === null ? [] : [tooLarge(id)], next: next && JSON.stringify(next) };
  },

  async one(call, id) {
    const path = `/products/${encodeURIComponent(id)}`;
    const { status, body } = await call.request({ method: 'GET', path, query: { _fields: FIELDS } });
    return status === 404 ? [] : readProduct(call, parseLossless(body));
  },
};

function placeOf(position: string | null): Place {
  return position === null ? START : JSON.parse(position);
}

/** A product with variations is not for sale itself. */
async function readProduct(call: WooCall, product: unknown): Promise<Read<SourceStock>[]> {
  const id = productIdOf(product);
  if (id === null || !isVariable(product))
    return ownsStock(product) ? [readOne(product, () => toProductStock(product))] : [];
  const variations: unknown[] = [];
  let place: Place | null = START;
  while (place && variations.length < MOST_VARIATIONS) {
    const path = `/products/${encodeURIComponent(id)}/variations`;
    const page: RowPage = await askPage(call, path, place, PAGE_SIZE, LIST);
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
