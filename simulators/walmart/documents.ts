/** Orders and returns as both generations write them. */
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import { customerOrderId, isCancelled, isWfs, lineWord, local, purchaseOrderId, refundOf } from './facts.ts';

const VAT = 1.16;
const SHIPPING = { net: '45.00', tax: '7.20', gross: '52.20' };
const COMMISSION = 0.12;

export function legacyOrder(order: Order, now: number) {
  const isGone = isCancelled(order, now);
  return {
    ...(!isWfs(order) && { purchaseOrderId: purchaseOrderId(order, 'legacy') }),
    customerOrderId: customerOrderId(order),
    customerEmailId: order.buyer.email,
    orderDate: local(placedAt(order)),
    shippingInfo: {
      phone: order.buyer.phone,
      estimatedDeliveryDate: local(placedAt(order) + 5 * 86_400_000),
      postalAddress: addressOf(order),
    },
    billingInfo: { phone: order.buyer.phone, postalAddress: addressOf(order) },
    totalLines: String(order.lines.length),
    totalQuantity: String(isGone ? 0 : order.lines.reduce((sum, { quantity }) => sum + quantity, 0)),
    orderLines: order.lines.map((line, index) => legacyLine(order, line, index, now)),
    shipments: shipmentsOf(order, now),
    orderTotal: mxn(isGone ? '0' : order.total),
    rfc: 'XAXX010101000',
    paymentMethod: 'CREDIT',
    cfdi: 'G01',
  };
}

/** VAT is in the price, and a cancelled line has no pieces left. */
function legacyLine(order: Order, line: Line, index: number, now: number) {
  const { status, code, at } = lineWord(order, now);
  const isGone = isCancelled(order, now);
  const number = String(index + 1);
  const net = decimal(Math.round(cents(line.unitPrice) / VAT));
  const vat = decimal(cents(line.unitPrice) - cents(net));
  return {
    primeLineNumber: number,
    coLineNumber: number,
    item: {
      upc: '00750100000000',
      offerId: `OF${line.sku}`,
      productName: line.title,
      sku: line.sku,
      condition: 'New',
      unitPrice: mxn(line.unitPrice),
      unitPriceWithoutTax: mxn(net),
      commission: mxn(decimal(Math.round(cents(line.unitPrice) * COMMISSION))),
    },
    charges: [
      {
        chargeType: 'SHIPPING',
        chargeName: 'SHIPPING_CH',
        chargeAmount: mxn(isGone ? '0' : SHIPPING.net),
        tax: [{ taxName: 'SHIP_IVA_TAX', taxAmount: mxn(isGone ? '0' : SHIPPING.tax) }],
      },
      { chargeType: 'DISCOUNT', chargeName: 'COUPON_DISC', chargeAmount: mxn('0') },
      {
        chargeType: 'DISCOUNT',
        chargeName: 'SHIP_DISC',
        chargeAmount: mxn(isGone ? '0' : `-${SHIPPING.gross}`),
      },
      // The product's charge has no amount of its own.
      {
        chargeType: 'PRODUCT',
        chargeName: 'ItemPrice',
        tax: [
          { taxName: 'IVA_TAX', taxAmount: mxn(isGone ? '0' : vat) },
          { taxName: 'IEPS_TAX', taxAmount: mxn('0') },
        ],
      },
    ],
    orderLineQuantity: each(isGone ? 0 : line.quantity),
    orderLineStatus: [
      { status, statusCode: code, statusDate: local(at), statusQuantity: each(line.quantity) },
    ],
    shippingMethod: 'STANDARD',
    promiseDeliveryDate: local(placedAt(order) + 6 * 86_400_000),
    isMSIEnabled: 'N',
    ...(isWfs(order) && { isWFSEnabled: 'Y' }),
    seller: {
      id: '10900000001',
      name: 'TIENDA DE PRUEBA',
      shipNodeType: isWfs(order) ? 'DC' : 'PangaeaMarketplace',
    },
  };
}

/** Without a status and a number until the parcel is on its way. */
function shipmentsOf(order: Order, now: number) {
  const [packed, shipped] = [reachedAt(order, 'packed', now), reachedAt(order, 'shipped', now)];
  if (isCancelled(order, now) || packed === null) return [];
  return [
    {
      shipmentLines: order.lines.map((line, index) => ({
        primeLineNo: String(index + 1),
        shipmentLineNo: '1',
        quantity: each(line.quantity),
      })),
      shipmentNo: `77${order.cart}`,
      packageNo: `77${order.cart}_1`,
      isSellerOwnedShipment: 'N',
      carrier: 'MX-DHL',
      ...(shipped !== null && { status: 'Shipment Shipped', trackingNumber: order.tracking }),
      shipmentAdditionalDate: {
        shipmentActualCreatedDate: local(packed),
        shipmentACKDate: local(packed),
        ...(shipped !== null && { shipmentShippedDate: local(shipped) }),
      },
    },
  ];
}

/** Amounts are numbers, times are epoch milliseconds, and there is no total. */
export function globalOrder(order: Order, now: number) {
  return {
    purchaseOrderId: purchaseOrderId(order, 'global'),
    customerOrderId: customerOrderId(order),
    customerEmailId: order.buyer.email,
    orderType: 'REGULAR',
    orderDate: placedAt(order),
    shippingInfo: {
      phone: order.buyer.phone,
      estimatedDeliveryDate: placedAt(order) + 5 * 86_400_000,
      estimatedShipDate: placedAt(order) + 86_400_000,
      methodCode: 'Standard',
      postalAddress: addressOf(order),
    },
    orderLines: { orderLine: order.lines.map((line, index) => globalLine(order, line, index, now)) },
    shipNode: { type: isWfs(order) ? 'WFSFulfilled' : 'SellerFulfilled' },
  };
}

function globalLine(order: Order, line: Line, index: number, now: number) {
  const { status, at } = lineWord(order, now);
  const shipped = reachedAt(order, 'shipped', now);
  const net = netOf(line);
  const vat = decimal(cents(line.unitPrice) * line.quantity - cents(net));
  const refund = refundOf(order, now);
  const given = refund?.amount ?? decimal(cents(line.unitPrice) * line.quantity);
  const isRefunded = refund && (index === 0 || refund.state === 'refunded');
  const charge = (amount: string, tax: string | null) => ({
    chargeType: 'PRODUCT',
    chargeName: 'ItemPrice',
    chargeAmount: { currency: 'MXN', amount: rawNumber(amount) },
    tax: tax && { taxName: 'Tax1', taxAmount: { currency: 'MXN', amount: rawNumber(tax) } },
  });
  return {
    lineNumber: String(index + 1),
    item: { productName: line.title, sku: line.sku },
    charges: { charge: [charge(net, vat)] },
    orderLineQuantity: each(line.quantity),
    statusDate: Math.max(at, refund?.at ?? 0),
    orderLineStatuses: {
      orderLineStatus: [
        {
          status: status === 'OnHold' ? 'Created' : status,
          statusQuantity: each(line.quantity),
          ...(shipped !== null && {
            trackingInfo: {
              shipDateTime: shipped,
              carrierName: { carrier: 'DHL' },
              methodCode: 'Standard',
              trackingNumber: order.tracking,
            },
          }),
        },
      ],
    },
    ...(isRefunded && {
      refund: {
        refundId: `RF${order.number}`,
        refundCharges: { refundCharge: [{ refundReason: 'BuyerCanceled', charge: charge(given, null) }] },
      },
    }),
    fulfillment: { fulfillmentOption: 'S2H', shipMethod: 'STANDARD' },
  };
}

/** Of the whole line, before taxes. */
export function netOf({ unitPrice, quantity }: Line): string {
  return decimal(Math.round(cents(unitPrice) / VAT) * quantity);
}

export interface ReturnDocument {
  readonly at: number;
  readonly status: string;
  readonly body: { readonly returnOrderId: string; readonly customerOrderId: string };
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

/** The line's time stands still while the parcel travels. */
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
  return {
    at: openedAt,
    status,
    body: {
      returnOrderId: `${prefix}${order.number}`,
      customerOrderId: customerOrderId(order),
      ...{
        customerName: { firstName: order.buyer.firstName, lastName: order.buyer.lastName },
        returnOrderDate: local(openedAt),
        returnOrderLines: lines.map((line, index) => ({
          returnOrderLineNumber: String(index + 1),
          primeLineNumber: String(index + 1),
          returnReason: 'Error del Cliente',
          reasonCode: 'CUSTOMER_ERROR',
          ...(!isWfs(order) && { purchaseOrderId: purchaseOrderId(order, 'legacy') }),
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
    },
  };
}

function addressOf({ buyer }: Order) {
  return {
    name: `${buyer.firstName} ${buyer.lastName}`,
    address1: buyer.address.street,
    city: buyer.address.city.toUpperCase(),
    state: buyer.address.state.toUpperCase(),
    postalCode: buyer.address.zip,
    country: 'MX',
  };
}

/** Whole amounts lose their decimals. */
function mxn(amount: string) {
  return { currency: 'MXN', amount: amount.replace(/\.00$/, '') };
}

function each(quantity: number) {
  return { unitOfMeasurement: 'EACH', amount: String(quantity) };
}
