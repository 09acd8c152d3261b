import { parseLossless } from '../../platform/json.ts';
import { apart } from '../apart.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { walkAll } from '../lists.ts';
import { nameIn, readEach, readOne } from '../read-rows.ts';
import { tooLarge } from '../too-large.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { askId, askPage, type OffsetPosition, PAGE_SIZE, START } from './paging.ts';
import {
  isVariable,
  ownsStock,
  productIdOf,
  toProductStock,
  toVariationStock,
} from './wire-stock.ts';

type WooCall = Call<WooCommerceCredentials>;

/** Descriptions, pictures and what plugins add are most of a product. */
const FIELDS =
  'id,name,type,parent_id,sku,status,manage_stock,stock_quantity,stock_status,attributes';
const LIST = { order: 'asc', _fields: FIELDS } as const;

/**
 * Every product, each time: what an order takes from the shelf does not count as a change of its
 * product.
 */
export const inventory: Stream<SourceStock, WooCommerceCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const { rows, next } = await askPage(call, '/products', positionOf(position), limit, LIST);
    const items = (
      await Promise.all(rows.map((row) => apart(nameIn(row, 'id'), () => readProduct(call, row))))
    ).flat();
    return { items, next: next && JSON.stringify(next) };
  },

  async tooLarge(call, { position }) {
    const { id, next } = await askId(call, '/products', positionOf(position), { order: 'asc' });
    return { items: id === null ? [] : [tooLarge(id)], next: next && JSON.stringify(next) };
  },

  async one(call, id) {
    const path = `/products/${encodeURIComponent(id)}`;
    const { status, body } = await call.request({
      method: 'GET',
      path,
      query: { _fields: FIELDS },
    });
    return status === 404 ? [] : apart(id, () => readProduct(call, parseLossless(body)));
  },
};

function positionOf(position: string | null): OffsetPosition {
  return position === null ? START : JSON.parse(position);
}

/** A product with variations is not for sale itself. */
async function readProduct(call: WooCall, product: unknown): Promise<Read<SourceStock>[]> {
  const id = productIdOf(product);
  if (id === null || !isVariable(product))
    return ownsStock(product) ? [readOne(product, () => toProductStock(product))] : [];
  const path = `/products/${encodeURIComponent(id)}/variations`;
  const variations = await walkAll(call, START, (position) =>
    askPage(call, path, position, PAGE_SIZE, LIST),
  );
  return readEach(variations, (variation) => toVariationStock(variation, product));
}
