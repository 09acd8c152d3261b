/** Goods on their way back, and money that was given back. */
import { cents, decimal, type Order, reachedAt } from '../order.ts';
import { each, mxn } from './amounts.ts';
import { customerOrderId, isWfs, local, purchaseOrderId, refundOf } from './facts.ts';

interface ReturnDocument {
  readonly at: number;
  readonly status: string;
  readonly id: string;
  /** Most calls ask for a few of all returns. */
  body(): object;
}

/** Goods on their way back, and money that was given back without them. */
export function returnsOf(order: Order, now: number): ReturnDocument[] {
  const sentBack = reachedAt(order, 'returning', now);
  const refund = refundOf(order, now);
  const withGoods = sentBack !== null && refund?.state === 'refunded' ? refund : undefined;
  const alone = withGoods ? undefined : refund;
  const found: ReturnDocument[] = [];
  if (sentBack !== null) {
    const status = reachedAt(order, 'returned', now) === null ? 'IN_TRANSIT' : 'DELIVERED';
    found.push(
      returnDocument(order, 'R2', sentBack, withGoods?.at, null, [
        { shipmentNo: `88${order.number}`, status },
      ]),
    );
  }
  if (alone) found.push(returnDocument(order, 'R1', alone.at, alone.at, alone.amount ?? null, []));
  return found;
}

/** The line's time does not change while the parcel travels. */
function returnDocument(
  order: Order,
  prefix: string,
  openedAt: number,
  completedAt: number | undefined,
  amount: string | null,
  shipments: readonly object[],
): ReturnDocument {
  const status = completedAt === undefined ? 'Initiated' : 'Completed';
  const lines = amount === null ? order.lines : order.lines.slice(0, 1);
  const id = `${prefix}${order.number}`;
  return {
    at: openedAt,
    status,
    id,
    body: () => ({
      returnOrderId: id,
      customerOrderId: customerOrderId(order),
      ...{
        customerName: { firstName: order.buyer.firstName, lastName: order.buyer.lastName },
        returnOrderDate: local(openedAt),
        returnOrderLines: lines.map((line, index) => ({
          returnOrderLineNumber: String(index + 1),
          primeLineNumber: String(index + 1),
          returnReason: 'Error del Cliente',
          reasonCode: 'CUSTOMER_ERROR',
          ...(!isWfs(order) && {
            purchaseOrderId: purchaseOrderId(order, 'legacy'),
            purchaseOrderLineNumber: String(index + 1),
          }),
          item: { productName: line.title, sku: line.sku },
          unitPrice: mxn(line.unitPrice),
          quantity: each(line.quantity),
          status,
          statusTime: local(completedAt ?? openedAt),
          refundAmount: mxn(amount ?? decimal(cents(line.unitPrice) * line.quantity)),
          isWFSEnabled: isWfs(order) ? 'Y' : 'N',
        })),
        returnOrderShipments: shipments,
      },
    }),
  };
}
