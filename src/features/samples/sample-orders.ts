import { type Marketplace, type OrderStatus, sourceOrder } from '../../connectors/contract.ts';
import { decimal, multiplyExact } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Order } from '../orders/index.ts';

/** In each order's account, id, buyer and products, so that none of them passes for a real one. */
const MARK = 'EJEMPLO';
const BUYER = 'Ejemplo';

interface Sample {
  readonly marketplace: Marketplace;
  readonly status: OrderStatus;
  /** The marketplace's own word. */
  readonly native: string;
  readonly hoursAgo: number;
  readonly product: string;
  readonly sku: string;
  readonly pieces: string;
  readonly price: string;
}

const DAY = 24;
const WEEK = 7 * DAY;

const SAMPLES: readonly Sample[] = [
  sample('mercado_libre', 'paid', 'paid', 1, ['Taza de cerámica azul', 'TAZA-AZUL', '2', '149.00']),
  sample('amazon', 'ready_to_ship', 'Unshipped', 2, [
    'Mochila negra',
    'MOCHILA-NEGRA',
    '1',
    '899.00',
  ]),
  sample('shopify', 'paid', 'paid', 4, ['Libreta rayada', 'LIBRETA-RAYADA', '3', '79.50']),
  sample('mercado_libre', 'paid', 'paid', 7, [
    'Audífonos inalámbricos',
    'AUDIFONOS',
    '1',
    '649.00',
  ]),
  sample('tiktok_shop', 'ready_to_ship', 'AWAITING_SHIPMENT', DAY, [
    'Funda de celular',
    'FUNDA',
    '1',
    '199.00',
  ]),
  sample('walmart', 'shipped', 'Shipped', 2 * DAY, ['Lámpara de mesa', 'LAMPARA', '1', '459.00']),
  sample('amazon', 'shipped', 'Shipped', 3 * DAY, [
    'Taza de cerámica azul',
    'TAZA-AZUL',
    '4',
    '149.00',
  ]),
  sample('mercado_libre', 'cancelled', 'cancelled', 4 * DAY, [
    'Mochila negra',
    'MOCHILA-NEGRA',
    '1',
    '899.00',
  ]),
  sample('shopify', 'delivered', 'fulfilled', 5 * DAY, [
    'Libreta rayada',
    'LIBRETA-RAYADA',
    '6',
    '79.50',
  ]),
  sample('mercado_libre', 'delivered', 'delivered', WEEK, [
    'Audífonos inalámbricos',
    'AUDIFONOS',
    '1',
    '649.00',
  ]),
  sample('walmart', 'delivered', 'Delivered', WEEK + 2, [
    'Lámpara de mesa',
    'LAMPARA',
    '1',
    '459.00',
  ]),
  sample('amazon', 'delivered', 'Shipped', WEEK + 5, ['Funda de celular', 'FUNDA', '2', '199.00']),
];

/** Orders of the last days, of several marketplaces and in several states. */
export function sampleOrders(now: Instant): Order[] {
  return SAMPLES.map((one, at) => orderOf(one, `${MARK}-${1_001 + at}`, now));
}

function orderOf(one: Sample, id: string, now: Instant): Order {
  const at = now.subtract({ hours: one.hoursAgo });
  const total = multiplyExact(decimal(one.price), decimal(one.pieces));
  return {
    ...sourceOrder({
      id,
      status: one.status,
      marketplaceStatus: one.native,
      currency: 'MXN',
      total,
      totalIncludes: { shipping: true, tax: true, orderDiscount: true },
      buyerName: BUYER,
      dateCreated: at,
      lines: [
        {
          sku: `${MARK}-${one.sku}`,
          title: `${one.product} (producto de ejemplo)`,
          quantity: decimal(one.pieces),
          unitPrice: decimal(one.price),
        },
      ],
      changedAt: at,
      fetchedAt: now,
      raw: null,
    }),
    marketplace: one.marketplace,
    accountId: MARK,
    connectionId: null,
  };
}

function sample(
  marketplace: Marketplace,
  status: OrderStatus,
  native: string,
  hoursAgo: number,
  [product, sku, pieces, price]: readonly [string, string, string, string],
): Sample {
  return { marketplace, status, native, hoursAgo, product, sku, pieces, price };
}
