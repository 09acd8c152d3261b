/** Orders as a source tells them, without the rest of a test house: writers start often. */
import type { OrderStatus } from '../../../src/connectors/contract.ts';
import type { Order } from '../../../src/features/orders/index.ts';
import { decimal } from '../../../src/platform/money.ts';

export interface Told {
  readonly id: string;
  readonly status: OrderStatus;
  /** Larger = newer at the source; shown as the SKU of its item. */
  readonly version: number;
}

const BORN = Temporal.Instant.from('2026-01-01T00:00:00Z');

export function tellOrder({ id, status, version }: Told): Order {
  const price = decimal('129.95');
  return {
    id,
    marketplace: 'mercado_libre',
    accountId: '468424240',
    connectionId: null,
    status,
    marketplaceStatus: status,
    paymentStatus: null,
    fulfillmentStatus: null,
    currency: 'MXN',
    total: price,
    subtotal: price,
    discountTotal: null,
    shippingTotal: null,
    taxTotal: null,
    feesTotal: null,
    netTotal: null,
    refundedTotal: null,
    refunds: [],
    buyerName: 'Lucía R.',
    dateCreated: BORN,
    dateClosed: null,
    items: [
      {
        id: 'MLM1',
        sku: String(version),
        title: 'Taza azul',
        variation: null,
        quantity: 1,
        unitPrice: price,
        subtotal: price,
        currency: 'MXN',
      },
    ],
    shipping: null,
    invoiceRequired: null,
    packId: null,
    tags: [],
    changedAt: BORN.add({ microseconds: version }),
    fetchedAt: BORN.add({ microseconds: version }),
    keep: [],
    raw: null,
  };
}

/** The version that a listed order shows. */
export function versionOf(order: { readonly items: readonly { readonly sku: string | null }[] }): number {
  return Number(order.items[0]?.sku);
}
