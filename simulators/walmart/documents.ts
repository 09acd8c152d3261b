/** Orders as both generations write them. */
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import { each, mxn } from './amounts.ts';
import {
  customerOrderId,
  isCancelled,
  isWfs,
  lineWord,
  local,
  purchaseOrderId,
  refundOf,
} from './facts.ts';

const VAT = 1.16;
/** What shipping costs where Walmart gives it to the buyer. */
const FREE_SHIPPING = '52.20';
const COMMISSION = 0.12;

/** An amount with VAT in its two parts, in cents. */
interface Split {
  readonly net: number;
  readonly vat: number;
}

function split(gross: number): Split {
  const net = Math.round(gross / VAT);
  return { net, vat: gross - net };
}

/**
 * The coupon is shared out among the lines by what they come to; the last one takes what is left.
 */
function couponOf(order: Order, index: number): number {
  const share = ({ unitPrice, quantity }: Line) =>
    Math.floor((cents(order.coupon) * cents(unitPrice) * quantity) / cents(order.total));
  const shares = order.lines.map(share);
  const left = cents(order.coupon) - shares.reduce((sum, one) => sum + one, 0);
  return (shares[index] ?? 0) + (index === shares.length - 1 ? left : 0);
}

/** What the buyer pays for it is on the first line. */
function shippingOf(order: Order, index: number): number {
  return index === 0 ? cents(order.shipping ?? '0.00') : 0;
}

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
    totalQuantity: String(
      isGone ? 0 : order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    ),
    orderLines: order.lines.map((line, index) => legacyLine(order, line, index, now)),
    shipments: shipmentsOf(order, now),
    orderTotal: mxn(isGone ? '0' : order.total),
    rfc: 'XAXX010101000',
    paymentMethod: 'CREDIT',
    cfdi: 'G01',
  };
}

/** VAT is in the price, and of what was cancelled neither pieces nor charges are left. */
function legacyLine(order: Order, line: Line, index: number, now: number) {
  const { status, code, at } = lineWord(order, now);
  const isGone = isCancelled(order, now);
  const number = String(index + 1);
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
      unitPriceWithoutTax: mxn(decimal(split(cents(line.unitPrice)).net)),
      commission: mxn(decimal(Math.round(cents(line.unitPrice) * COMMISSION))),
    },
    charges: legacyCharges(order, line, index, isGone),
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

/**
 * A coupon is given without its VAT, and the tax of the product is that of what is left; the
 * discount on shipping holds it.
 */
function legacyCharges(order: Order, line: Line, index: number, isGone: boolean) {
  const net = split(cents(line.unitPrice)).net * line.quantity;
  const coupon = couponOf(order, index);
  const paid = cents(line.unitPrice) * line.quantity - coupon;
  const netCoupon = Math.round(coupon / VAT);
  const paidShipping = shippingOf(order, index);
  const isFree = order.shipping === null;
  const shipping = split(isFree ? cents(FREE_SHIPPING) : paidShipping);
  const amount = (value: number) => mxn(decimal(isGone ? 0 : value));
  const charge = (chargeType: string, chargeName: string, value: number) => ({
    chargeType,
    chargeName,
    chargeAmount: amount(value),
  });
  return [
    {
      ...charge('SHIPPING', 'SHIPPING_CH', shipping.net),
      tax: [{ taxName: 'SHIP_IVA_TAX', taxAmount: amount(shipping.vat) }],
    },
    charge('DISCOUNT', 'COUPON_DISC', -netCoupon),
    charge('DISCOUNT', 'SHIP_DISC', isFree ? -cents(FREE_SHIPPING) : 0),
    // The product's charge has no amount of its own.
    {
      chargeType: 'PRODUCT',
      chargeName: 'ItemPrice',
      tax: [
        { taxName: 'IVA_TAX', taxAmount: amount(paid - (net - netCoupon)) },
        { taxName: 'IEPS_TAX', taxAmount: mxn('0') },
      ],
    },
  ];
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

/**
 * Amounts are numbers, times are epoch milliseconds, and there is no total. Coupons are absent.
 */
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
    orderLines: {
      orderLine: order.lines.map((line, index) => globalLine(order, line, index, now)),
    },
    shipNode: { type: isWfs(order) ? 'WFSFulfilled' : 'SellerFulfilled' },
  };
}

function globalLine(order: Order, line: Line, index: number, now: number) {
  const { status, at } = lineWord(order, now);
  const shipped = reachedAt(order, 'shipped', now);
  const refund = refundOf(order, now);
  const given = refund?.amount ?? decimal(cents(line.unitPrice) * line.quantity);
  const isRefunded = refund && (index === 0 || refund.state === 'refunded');
  const shipping = shippingOf(order, index);
  const isGone = isCancelled(order, now);
  const product = isGone ? 0 : cents(line.unitPrice) * line.quantity;
  return {
    lineNumber: String(index + 1),
    item: { productName: line.title, sku: line.sku },
    charges: {
      charge: [
        globalCharge('PRODUCT', 'ItemPrice', split(product)),
        ...(shipping > 0
          ? [globalCharge('SHIPPING', 'Shipping', split(isGone ? 0 : shipping))]
          : []),
      ],
    },
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
        refundCharges: {
          refundCharge: [
            {
              refundReason: 'BuyerCanceled',
              charge: globalCharge('PRODUCT', 'ItemPrice', split(cents(given))),
            },
          ],
        },
      },
    }),
    fulfillment: { fulfillmentOption: 'S2H', shipMethod: 'STANDARD' },
  };
}

/** Of the whole line, before its tax. */
function globalCharge(chargeType: string, chargeName: string, { net, vat }: Split) {
  const number = (value: number) => ({ currency: 'MXN', amount: rawNumber(decimal(value)) });
  return {
    chargeType,
    chargeName,
    chargeAmount: number(net),
    tax: { taxName: chargeType === 'PRODUCT' ? 'Tax1' : 'Tax2', taxAmount: number(vat) },
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
