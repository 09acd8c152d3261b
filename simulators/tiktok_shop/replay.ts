/**
 * A folder of JSON documents, served as TikTok Shop would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import { readFolder } from '../replay.ts';
import type { ListName } from './lists.ts';
import type { Document, ShopCard } from './shop.ts';

export interface Replay {
  readonly lists: Readonly<Partial<Record<ListName, readonly Document[]>>>;
  readonly shops: readonly ShopCard[];
  /** Files with nothing in them to be served. */
  readonly ignored: readonly string[];
}

const LISTS: readonly ListName[] = [
  'orders',
  'return_orders',
  'cancellations',
  'inventory',
  'statements',
  'payments',
  'warehouses',
];

export async function openReplay(folder: string): Promise<Replay> {
  const lists: Partial<Record<ListName, Document[]>> = {};
  const shops: ShopCard[] = [];
  const ignored = await readFolder(folder, (document) => {
    const data = dataOf(document);
    const found = LISTS.filter((name) => Array.isArray(data[name]));
    for (const name of found)
      lists[name] = [...(lists[name] ?? []), ...(data[name] as unknown[]).filter(isRecord)];
    if (Array.isArray(data.shops)) shops.push(...(data.shops as ShopCard[]));
    return found.length > 0 || Array.isArray(data.shops);
  });
  const products = lists.inventory?.map(productOf);
  return { lists: { ...lists, ...(products && { products }) }, shops, ignored };
}

function dataOf(document: unknown): Document {
  return isRecord(document) && isRecord(document.data) ? document.data : {};
}

/** The folder knows the stock of a product, and not the product. */
function productOf({ product_id }: Document): Document {
  return { id: textOf(product_id), title: `Producto ${textOf(product_id)}`, status: 'ACTIVATE' };
}
