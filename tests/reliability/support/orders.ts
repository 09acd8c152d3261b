/** Orders as a source gives them, without the rest of a test instance: writers start often. */
import { type OrderStatus, sourceOrder } from '../../../src/connectors/contract.ts';
import type { Order } from '../../../src/features/orders/index.ts';
import { decimal } from '../../../src/platform/money.ts';

interface Reported {
  readonly id: string;
  readonly status: OrderStatus;
  /** Larger = newer at the source; shown as the SKU of its item. */
  readonly version: number;
}

const BORN = Temporal.Instant.from('2026-01-01T00:00:00Z');

export function reportedOrder({ id, status, version }: Reported): Order {
  const price = decimal('129.95');
  const at = BORN.add({ microseconds: version });
  const order = sourceOrder({
    id,
    status,
    marketplaceStatus: status,
    currency: 'MXN',
    total: price,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    buyerName: 'Lucía R.',
    dateCreated: BORN,
    lines: [
      {
        id: 'MLM1',
        sku: String(version),
        title: 'Taza azul',
        quantity: decimal('1'),
        unitPrice: price,
      },
    ],
    changedAt: at,
    fetchedAt: at,
    raw: null,
  });
  return { ...order, marketplace: 'mercado_libre', accountId: '468424240', connectionId: null };
}

/** The version that a listed order shows. */
export function versionOf(order: {
  readonly items: readonly { readonly sku: string | null }[];
}): number {
  return Number(order.items[0]?.sku);
}
