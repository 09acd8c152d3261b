import { parseOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { pagePositionOf } from '../paging.ts';
import { readEach, readOne } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import { id as anId } from '../wire-fields.ts';
import type { VtexCredentials } from './credentials.ts';
import { Sku, SkuIds, SkuStock, toStock } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

const PAGE_SIZE = 50;

/** Every SKU, each time: what changed cannot be asked for. */
export const inventory: Stream<SourceStock, VtexCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const { page, size } = pagePositionOf(request, PAGE_SIZE);
    const ids = await call.get('/api/catalog_system/pvt/sku/stockkeepingunitids', SkuIds, {
      query: { page, pagesize: size },
    });
    const named = readEach(ids, (row) => anId.parse(row));
    const items = (
      await Promise.all(
        named.map((read) => (read.ok ? apart(read.item, () => readSku(call, read.item)) : [read])),
      )
    ).flat();
    return { items, next: ids.length === 0 ? null : JSON.stringify({ page: page + 1, size }) };
  },

  async tooLarge(_, request) {
    const { page, size } = pagePositionOf(request, PAGE_SIZE);
    return {
      items: [tooLargeIn('stockkeepingunitids')],
      next: JSON.stringify({ page: page + 1, size }),
    };
  },

  one: readSku,
};

async function readSku(call: VtexCall, id: string): Promise<Read<SourceStock>[]> {
  const key = encodeURIComponent(id);
  const stock = await ask(call, `/api/logistics/pvt/inventory/skus/${key}`, [404]);
  if (stock === null) return [];
  // A key may lack the catalogue's role; then the id is the title.
  const sku = await ask(
    call,
    `/api/catalog_system/pvt/sku/stockkeepingunitbyid/${key}`,
    [403, 404],
  );
  return [
    readOne(
      stock,
      (row) => toStock(id, SkuStock.parse(row), Sku.safeParse(sku).data ?? null),
      () => id,
    ),
  ];
}

/** @returns null where it is not there, or not for us */
async function ask(call: VtexCall, path: string, expect: readonly number[]): Promise<unknown> {
  const answer = await call.request({ method: 'GET', path, expect });
  return answer.status === 200 ? parseOrNull(answer.body) : null;
}
