/** Many orders of one organisation: the product records some, and the database copies these. */
import { sourceOrder } from '../../../src/connectors/contract.ts';
import { type Order, recordOrders } from '../../../src/features/orders/index.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import { decimal } from '../../../src/platform/money.ts';
import { addTenant, NO_LIMIT } from './tenants.ts';

/** Orders with contents of their own; the others have those of one of these. */
const MODELS = 1_000;
const RECORDED_AT_ONCE = 250;
const COPIED_AT_ONCE = 20;
const BORN = Temporal.Instant.from('2026-01-01T00:00:00Z');
const ACCOUNTS = [
  ['amazon', 'A2L77EE7U53NWQ'],
  ['mercado_libre', '468424240'],
  ['shopify', 'tianguis-norte.myshopify.com'],
] as const;
const GOODS = [
  ['Molcajete de piedra volcánica con tejolote, "grande"', '899.00'],
  ['Rebozo de algodón tejido a mano, azul añil', '749.90'],
  ['Taza de barro negro de Oaxaca, 350 ml', '189.00'],
] as const;
const BUYERS = ['Lucía Ramírez Ortega', 'José Ángel Muñoz', 'Raúl Ibáñez', 'Sofía Núñez'] as const;

interface Shop {
  readonly database: Database;
  readonly organizationId: string;
}

/** Stores so many orders with their history: a multiple of 1,000. */
export async function fillWithOrders(shop: Shop, orders: number): Promise<void> {
  if (orders % MODELS !== 0) throw new Error(`${orders} is no multiple of ${MODELS}`);
  for (let from = 0; from < MODELS; from += RECORDED_AT_ONCE)
    await recordSome(shop, places(from, from + RECORDED_AT_ONCE), 1);
  for (let copy = 1; copy < orders / MODELS; copy += COPIED_AT_ONCE)
    await copyModels(shop, copy, Math.min(copy + COPIED_AT_ONCE, orders / MODELS) - 1);
}

/** Records the orders at these places anew, with amounts that are those of this version. */
export async function recordSome(
  { database, organizationId }: Shop,
  at: readonly number[],
  version: number,
): Promise<void> {
  const orders = at.map((place) => orderAt(place, version));
  await database.within(organizationId).write((scope) => recordOrders(scope, orders, []));
}

/**
 * Organisations with so many orders each, which may ask as often as they like.
 * @returns a key of each
 */
export async function openShops(
  database: Database,
  organisations: number,
  orders: number,
): Promise<string[]> {
  const keys: string[] = [];
  for (let shop = 0; shop < organisations; shop++) {
    const { id, key } = await addTenant(database, { quota: NO_LIMIT });
    await recordSome({ database, organizationId: id }, places(0, orders), 1);
    keys.push(key);
  }
  return keys;
}

function orderAt(place: number, version: number): Order {
  const [marketplace, accountId] = ACCOUNTS[place % ACCOUNTS.length] ?? ACCOUNTS[0];
  const born = BORN.add({ minutes: place % MODELS });
  const changedAt = born.add({ microseconds: version });
  const lines = Array.from({ length: 1 + (place % 4) }, (_, line) => {
    const [title, price] = GOODS[(place + line) % GOODS.length] ?? GOODS[0];
    const [id, unitPrice] = [`MLM${place % MODELS}${line}`, decimal(price)];
    return { id, sku: `SKU-${id}`, title, quantity: decimal('1'), unitPrice, subtotal: unitPrice };
  });
  const order = sourceOrder({
    id: idOf(place),
    status: place % 3 === 0 ? 'paid' : 'delivered',
    marketplaceStatus: 'paid',
    paymentStatus: 'approved',
    currency: 'MXN',
    total: decimal(`${1_000 + version}.50`),
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    shippingTotal: decimal('89.00'),
    feesTotal: decimal('61.35'),
    buyerName: BUYERS[place % BUYERS.length] ?? null,
    dateCreated: born,
    dateClosed: born,
    lines,
    tags: ['paid', 'not_delivered'],
    changedAt,
    fetchedAt: changedAt,
    raw: null,
  });
  return { ...order, marketplace, accountId, connectionId: null };
}

/** All of one length, and none within another text. */
function idOf(place: number): string {
  const [model, copy] = [place % MODELS, Math.floor(place / MODELS)];
  return `${nameOf(model)}-${String(copy).padStart(5, '0')}`;
}

function nameOf(model: number): string {
  return `X${String(model).padStart(4, '0')}`;
}

/** Each copy has a time of change of its own, as all orders have: lists go from one to the next. */
async function copyModels({ database, organizationId }: Shop, first: number, last: number) {
  const copiesOf = (name: string) => `cross join generate_series($2::int, $3::int) number
    cross join lateral (select left(one.${name}, 6) || lpad(number::text, 5, '0') as id) named`;
  await database.write(async (handle) => {
    const terms = [organizationId, first, last];
    await handle.sql(
      `insert into orders select copy.* from orders one ${copiesOf('id')}
        cross join lateral jsonb_populate_record(one, jsonb_build_object('id', named.id,
          'last_updated', one.last_updated - number * interval '1 minute',
          'list_json', replace(one.list_json, one.id, named.id),
          'detail_json', replace(one.detail_json, one.id, named.id))) copy
        where one.organization_id = $1 and one.id like 'X%-00000'`,
      terms,
    );
    await handle.sql(
      `insert into order_history select copy.* from order_history one ${copiesOf('order_id')}
        cross join lateral
          jsonb_populate_record(one, jsonb_build_object('order_id', named.id)) copy
        where one.organization_id = $1 and one.order_id like 'X%-00000'`,
      terms,
    );
  });
}

function places(from: number, end: number): number[] {
  return Array.from({ length: end - from }, (_, at) => from + at);
}
