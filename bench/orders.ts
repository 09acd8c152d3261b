import { type Marketplace, type OrderStatus, sourceOrder } from '../src/connectors/contract.ts';
import type { Order } from '../src/features/orders/index.ts';
import { decimal } from '../src/platform/money.ts';
import type { Instant } from '../src/platform/time.ts';

/** The status that hardly any order has. */
export const RARE: OrderStatus = 'returned';
const RARE_ORDERS = 600;
const ITEMS = 3;
const ONE = decimal('1');

const ACCOUNTS: readonly [weight: number, marketplace: Marketplace, account: string][] = [
  [25, 'mercado_libre', '468424240'],
  [13, 'mercado_libre', '468424241'],
  [7, 'mercado_libre', '468424242'],
  [14, 'amazon', 'A2L77EE7U53NWQ'],
  [6, 'amazon', 'A1PA6795UKMFR9'],
  [8, 'shopify', 'tianguis-norte.myshopify.com'],
  [7, 'walmart', '10001118291'],
  [7, 'tiktok_shop', '7494049642642441621'],
  [4, 'liverpool', '2145'],
  [3, 'coppel', '3391'],
  [2, 'vtex', 'tianguisnorte'],
  [2, 'woocommerce', 'tienda.example.com'],
  [2, 'tiendanube', '1203887'],
];

const FINAL: readonly [weight: number, status: OrderStatus][] = [
  [88, 'delivered'],
  [9, 'cancelled'],
  [2, 'refunded'],
  [1, 'shipped'],
];

const OPEN: readonly [weight: number, status: OrderStatus][] = [
  [5, 'pending'],
  [30, 'paid'],
  [20, 'ready_to_ship'],
  [5, 'partially_shipped'],
  [40, 'shipped'],
];

const GOODS: readonly [title: string, price: string, sku: string][] = [
  ['Taza de barro negro de Oaxaca, 350 ml', '189.00', 'TAZA-BARRO-350'],
  ['Rebozo de algodón tejido a mano, azul añil', '749.90', 'REBOZO-ANIL'],
  ['Molcajete de piedra volcánica con tejolote', '899.00', 'MOLCAJETE-20'],
  ['Audífonos inalámbricos con estuche de carga', '459.50', 'AUD-BT-02'],
  ['Licuadora de 10 velocidades, vaso de vidrio', '1299.00', 'LIC-10V'],
  ['Playera de manga corta para niño, talla 8', '129.90', 'PLAY-N-8'],
  ['Cable USB-C a Lightning de 2 metros', '99.00', 'CAB-CL-2M'],
  ['Café de altura de Chiapas en grano, 1 kg', '320.00', 'CAFE-CHI-1K'],
  ['Huaraches de piel, número 27', '540.00', 'HUAR-27'],
  ['Lámpara de escritorio con luz cálida y fría', '385.75', 'LAMP-ESC'],
];

const BUYERS = [
  'Lucía Ramírez',
  'José Ángel Muñoz',
  'María Fernanda Peña',
  'Raúl Ibáñez',
  'Sofía Núñez',
];

/** The order with this number among so many, as its source gave it at its last change. */
export function orderOf(number: number, total: number, changedAt: Instant): Order {
  const chance = dice(number);
  const [, marketplace, accountId] = weighted(ACCOUNTS, chance());
  const isRare = number % Math.ceil(total / RARE_ORDERS) === 3;
  const isRecent = number > total * 0.97;
  const status = isRare ? RARE : weighted(isRecent ? OPEN : FINAL, chance())[1];
  const dateCreated = changedAt.subtract({ seconds: Math.floor(chance() * 10 * 86_400) });
  const lines = Array.from({ length: ITEMS }, () => {
    const [title, price, sku] = GOODS[
      Math.floor(chance() * GOODS.length)
    ] as (typeof GOODS)[number];
    const unitPrice = decimal(price);
    const id = `MLM${1_000_000_000 + Math.floor(chance() * 1e9)}`;
    return { id, sku, title, quantity: ONE, unitPrice, subtotal: unitPrice };
  });
  const order = sourceOrder({
    id: idOf(marketplace, number),
    status,
    marketplaceStatus: status,
    paymentStatus: 'approved',
    fulfillmentStatus: status,
    currency: 'MXN',
    total: decimal(lines.reduce((sum, { unitPrice }) => sum + Number(unitPrice), 0).toFixed(2)),
    totalIncludes: { shipping: false, tax: true, orderDiscount: true },
    shippingTotal: decimal('89.00'),
    feesTotal: decimal('61.35'),
    buyerName: BUYERS[number % BUYERS.length] as string,
    dateCreated,
    dateClosed: changedAt,
    lines,
    shipping: {
      carrier: 'Estafeta',
      trackingNumber: `MEX${4_000_000_000 + number}`,
      method: 'standard',
      status,
      shippedAt: changedAt,
      deliveredAt: changedAt,
    },
    invoiceRequired: false,
    tags: ['paid', 'not_delivered'],
    changedAt,
    fetchedAt: changedAt,
    raw: null,
  });
  return { ...order, marketplace, accountId, connectionId: null };
}

export function idOf(marketplace: Marketplace, number: number): string {
  const digits = String(number).padStart(10, '0');
  if (marketplace === 'mercado_libre') return `200000${digits}`;
  if (marketplace === 'amazon') return `701-${digits.slice(0, 7)}-${digits.slice(3)}`;
  return String(1_000_000 + number);
}

function weighted<Choice extends readonly [weight: number, ...rest: unknown[]]>(
  choices: readonly Choice[],
  chance: number,
): Choice {
  let left = chance * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const choice of choices) {
    left -= choice[0];
    if (left < 0) return choice;
  }
  return choices[0] as Choice;
}

/** Mulberry32: the same number always throws the same. */
export function dice(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
