import { apart } from '../apart.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { tooLarge } from '../too-large.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { ask, broken, completed, gid, positionAfter, positionOf, smaller } from './graphql.ts';
import { ITEM_IDS, ITEMS, MORE_LEVELS, ONE_ITEM } from './queries.ts';
import { ItemsPage, OneItem, toStock } from './wire.ts';

const PAGE_SIZE = 50;

/** All of it each time: an item does not move when its levels do. */
export const inventory: Stream<SourceStock, ShopifyCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = positionOf(request.position, PAGE_SIZE);
    const n = Math.min(position.size, request.limit);
    const answered = await ask(call, ITEMS, { after: position.after, n }, ItemsPage);
    if (!answered) return { items: [], next: smaller(position) };
    const { nodes, pageInfo } = answered.data.inventoryItems;
    const items: Read<SourceStock>[] = [];
    for (const row of nodes) items.push(...(await readItem(call, row)));
    return { items, next: positionAfter(position, pageInfo) };
  },

  /** The item at the position by its id alone, which the list returns without the rest. */
  async tooLarge(call, request) {
    const position = positionOf(request.position, PAGE_SIZE);
    const answered = await ask(call, ITEM_IDS, { after: position.after, n: 1 }, ItemsPage);
    if (!answered) throw broken(['inventoryItems'], 'an id costs more than a query may');
    const { nodes, pageInfo } = answered.data.inventoryItems;
    const ids = nodes.flatMap((row) => nameIn(row, 'id')?.split('/').at(-1) ?? []);
    return { items: ids.map(tooLarge), next: positionAfter(position, pageInfo) };
  },

  async one(call, id) {
    if (!/^\d+$/.test(id)) return [];
    const answered = await ask(call, ONE_ITEM, { id: gid('InventoryItem', id) }, OneItem);
    if (!answered) throw broken(['inventoryItem'], 'it costs more than a query may');
    const { inventoryItem } = answered.data;
    return inventoryItem ? readItem(call, inventoryItem) : [];
  },
};

function readItem(
  call: Call<ShopifyCredentials>,
  row: unknown,
): Promise<readonly Read<SourceStock>[]> {
  return apart(nameIn(row, 'id'), async () => {
    const whole = await completed(call, row, 'inventoryLevels', MORE_LEVELS);
    return readOne(whole, toStock);
  });
}
