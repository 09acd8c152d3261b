/** Order documents, in exactly the documented shape; every amount is in cents. */
import { dice } from '../dice.ts';
import { cents, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import {
  type Changed,
  changedAt,
  changeOf,
  couponOf,
  groupOf,
  invoicedAt,
  orderIdOf,
  paidFor,
  shippingOf,
  skuIdOf,
  statusOf,
  totalOf,
  type View,
  written,
  writtenOrNull,
} from './facts.ts';

const CARRIERS = ['Estafeta', 'Paquetexpress', 'Redpack'];

/** A row of the list, which has no items and no time of the last change. */
export function listRow(order: Order, view: View) {
  const now = view.now();
  return {
    orderId: orderIdOf(order),
    creationDate: seconds(placedAt(order)),
    clientName: `${order.buyer.firstName} ${order.buyer.lastName}`,
    items: null,
    totalValue: totalOf(order, now),
    paymentNames: 'Mastercard',
    status: statusOf(order, view),
    statusDescription: 'Pedido en proceso',
    marketPlaceOrderId: null,
    sequence: String(500_000 + order.number),
    salesChannel: '1',
    affiliateId: '',
    origin: 'Marketplace',
    workflowInErrorState: false,
    workflowInRetry: false,
    lastMessageUnread: null,
    ShippingEstimatedDate: null,
    ShippingEstimatedDateMax: null,
    ShippingEstimatedDateMin: null,
    orderIsComplete: true,
    listId: null,
    listType: null,
    authorizedDate:
      reachedAt(order, 'paid', now) === null
        ? null
        : seconds(reachedAt(order, 'paid', now) as number),
    callCenterOperatorName: null,
    totalItems: order.lines.length,
    currencyCode: 'MXN',
  };
}

export function orderDocument(order: Order, view: View, account: string) {
  const now = view.now();
  const status = statusOf(order, view);
  return {
    orderId: orderIdOf(order),
    sequence: String(500_000 + order.number),
    marketplaceOrderId: orderIdOf(order),
    marketplaceServicesEndpoint: null,
    sellerOrderId: `00-v${500_000 + order.number}${account}-01`,
    origin: 'Marketplace',
    affiliateId: '',
    salesChannel: '1',
    merchantName: account,
    status,
    workflowIsInError: false,
    statusDescription: 'Pedido en proceso',
    value: totalOf(order, now),
    creationDate: written(placedAt(order)),
    lastChange: written(changedAt(order, now)),
    orderGroup: groupOf(order),
    followUpEmail: null,
    lastMessage: null,
    hostname: account,
    isCompleted: status !== null,
    roundingError: 0,
    allowCancellation: invoicedAt(order, now) === null,
    allowEdition: false,
    isCheckedIn: false,
    authorizedDate: writtenOrNull(reachedAt(order, 'paid', now)),
    invoicedDate: writtenOrNull(invoicedAt(order, now)),
    cancelReason: null,
    totals: totals(order, now),
    sellers: [{ id: '1', name: account, logo: null, fulfillmentEndpoint: null }],
    cancellationData: cancellation(order, now),
    storePreferencesData: {
      countryCode: 'MEX',
      currencyCode: 'MXN',
      currencyFormatInfo: {
        CurrencyDecimalDigits: 2,
        CurrencyDecimalSeparator: '.',
        CurrencyGroupSeparator: ',',
        CurrencyGroupSize: 3,
        StartsWithCurrencySymbol: true,
      },
      currencyLocale: 2058,
      currencySymbol: '$',
      timeZone: 'Central Standard Time (Mexico)',
    },
    changesAttachment: changes(order, now),
    ratesAndBenefitsData: {
      id: 'ratesAndBenefitsData',
      rateAndBenefitsIdentifiers: promotions(order),
    },
    marketingData: cents(order.coupon) > 0 ? { id: 'marketingData', coupon: 'BIENVENIDA' } : null,
    packageAttachment: { packages: [...sent(order, now), ...restitutions(order, now)] },
    paymentData: { transactions: [], giftCards: [] },
    shippingData: shippingData(order),
    clientProfileData: {
      id: 'clientProfileData',
      email: `${order.buyer.number}b@ct.vtex.com.br`,
      firstName: order.buyer.firstName,
      lastName: order.buyer.lastName,
      documentType: null,
      document: null,
      phone: null,
      corporateName: null,
      tradeName: null,
      isCorporate: false,
    },
    items: order.lines.map((_, index) => item(order, index)),
    marketplaceItems: [],
  };
}

function totals(order: Order, now: number) {
  const lines = order.lines.map((_, index) => priceOf(order, index));
  const listed = lines.reduce((sum, { ofLine }) => sum + ofLine, 0);
  const paid = order.lines.reduce((sum, _, index) => sum + paidFor(order, index), 0);
  const change = changeOf(order, now);
  return [
    { id: 'Items', name: 'Total de los artículos', value: listed },
    { id: 'Discounts', name: 'Total de descuentos', value: paid - listed },
    { id: 'Shipping', name: 'Costo total del envío', value: shippingOf(order) },
    { id: 'Tax', name: 'Costo total del impuesto', value: 0 },
    ...(change ? [{ id: 'Change', name: 'Total de los cambios', value: change.value }] : []),
  ];
}

/** The items stay as they were ordered, and what was agreed stands beside them. */
function changes(order: Order, now: number) {
  const change = changeOf(order, now);
  if (!change) return null;
  const told = (items: readonly Changed[]) =>
    items.map((one) => ({ ...one, id: String(one.id), unitMultiplier: null }));
  const changesData = [
    {
      reason: 'Acordado con el cliente',
      discountValue: Math.max(0, -change.value),
      incrementValue: Math.max(0, change.value),
      itemsAdded: told(change.added),
      itemsRemoved: told(change.removed),
      receipt: {
        date: writtenOrNull(reachedAt(order, 'packed', now)),
        orderId: orderIdOf(order),
        receipt: `r-${order.number}`,
      },
    },
  ];
  return { id: 'changeAttachment', changesData };
}

const LINE_PROMOTION = '7d0c2f1e-5a38-4b6d-9c40-2e81f7a6b513';
const COUPON_PROMOTION = 'c1f9a7d4-08be-4e25-8a6f-93d5b0e4721c';

function promotions(order: Order) {
  const named = (id: string, name: string) => ({
    id,
    name,
    featured: false,
    description: '',
    additionalInfo: null,
  });
  return [
    ...(order.lines.some((_, index) => isPromoted(order, index))
      ? [named(LINE_PROMOTION, 'Rebaja')]
      : []),
    ...(cents(order.coupon) > 0 ? [named(COUPON_PROMOTION, 'Cupón de bienvenida')] : []),
  ];
}

/** A price may be lower by a promotion, which is a discount, or be a new price, which is not. */
function isPromoted(order: Order, index: number): boolean {
  return dice('vtex promotion', order.id, index).chance(1 / 2);
}

/** Some goods are sold by weight, in pieces of half a kilo. */
function isWeighed(order: Order, index: number): boolean {
  return dice('vtex weight', order.id, index).chance(1 / 6);
}

/**
 * In cents: the price of one unit before promotions, the "from" price, and what the line costs
 * without promotions.
 */
function priceOf(order: Order, index: number) {
  const { listPrice, unitPrice, quantity } = order.lines[index] as Line;
  const units = isWeighed(order, index) ? 2 : 1;
  const before = cents(isPromoted(order, index) ? listPrice : unitPrice);
  return { price: before * units, listPrice: cents(listPrice) * units, ofLine: before * quantity };
}

/** What modifies the price of a line, each of all its pieces. */
function priceTags(order: Order, index: number) {
  const { unitPrice, quantity } = order.lines[index] as Line;
  const coupon = couponOf(order, index);
  const promoted = priceOf(order, index).ofLine - cents(unitPrice) * quantity;
  const tag = (promotion: string, value: number) => ({
    name: `discount@price-${promotion}#${promotion.toUpperCase()}`,
    value: -value,
    rawValue: -value / 100,
    isPercentual: false,
    identifier: promotion,
  });
  return [
    ...(promoted > 0 ? [tag(LINE_PROMOTION, promoted)] : []),
    ...(coupon > 0 ? [tag(COUPON_PROMOTION, coupon)] : []),
  ];
}

/** Some lines have pieces of two prices, and their `sellingPrice` is the price of none or one. */
function sellingPrices(order: Order, index: number): { value: number; quantity: number }[] {
  const { quantity } = order.lines[index] as Line;
  const total = paidFor(order, index);
  const [each, left] = [Math.floor(total / quantity), total % quantity];
  if (left > 0)
    return [
      { value: each + 1, quantity: left },
      { value: each, quantity: quantity - left },
    ];
  const isMixed = quantity === 2 && dice('vtex prices', order.id, index).chance(1 / 2);
  if (!isMixed) return [{ value: each, quantity }];
  return [
    { value: each + 50, quantity: 1 },
    { value: each - 50, quantity: 1 },
  ];
}

function item(order: Order, index: number) {
  const line = order.lines[index] as Line;
  const { price, listPrice } = priceOf(order, index);
  const prices = sellingPrices(order, index);
  const sellingPrice = prices[0]?.value;
  return {
    uniqueId: `${order.number}${index}`.padStart(32, 'A'),
    id: String(skuIdOf(line.sku)),
    productId: String(skuIdOf(line.product.sku)),
    ean: null,
    quantity: line.quantity,
    seller: '1',
    name: line.title,
    refId: line.sku,
    price,
    listPrice,
    manualPrice: null,
    priceTags: priceTags(order, index),
    sellerSku: String(skuIdOf(line.sku)),
    commission: 0,
    tax: 0,
    measurementUnit: isWeighed(order, index) ? 'kg' : 'un',
    unitMultiplier: isWeighed(order, index) ? 0.5 : 1.0,
    sellingPrice,
    isGift: false,
    priceDefinition: {
      sellingPrices: prices,
      calculatedSellingPrice: sellingPrice,
      total: paidFor(order, index),
      reason: null,
    },
    taxCode: '',
    costPrice: null,
  };
}

function cancellation(order: Order, now: number) {
  const cancelled = reachedAt(order, 'cancelled', now);
  if (cancelled === null) return null;
  return {
    RequestedByUser: true,
    RequestedBySystem: false,
    RequestedBySellerNotification: false,
    RequestedByPaymentNotification: false,
    Reason: 'El cliente lo pidió',
    CancellationDate: written(cancelled).replace('+00:00', 'Z'),
  };
}

function sent(order: Order, now: number) {
  const invoiced = invoicedAt(order, now);
  if (invoiced === null) return [];
  const isOnItsWay = reachedAt(order, 'shipped', now) !== null;
  const delivered = reachedAt(order, 'delivered', now);
  return [
    {
      items: packed(order),
      courier: isOnItsWay ? dice('vtex carrier', order.id).pick(CARRIERS) : null,
      invoiceNumber: `F${order.number}`,
      invoiceValue: totalOf(order, now),
      invoiceUrl: `https://facturas.example/${order.number}.pdf`,
      issuanceDate: written(invoiced),
      trackingNumber: isOnItsWay ? order.tracking : null,
      invoiceKey: folioOf(order),
      trackingUrl: null,
      embeddedInvoice: `<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante Version="4.0" Folio="${order.number}"/>`,
      type: 'Output',
      courierStatus:
        delivered === null
          ? null
          : { status: 'delivered', finished: true, deliveredDate: written(delivered), data: [] },
      cfop: null,
      restitutions: null,
      volumes: 1,
      EnableInferItems: false,
    },
  ];
}

function packed(order: Order) {
  return order.lines.map((line, itemIndex) => ({
    itemIndex,
    quantity: line.quantity,
    price: cents(line.unitPrice),
    description: null,
    unitMultiplier: 1.0,
  }));
}

/** Money goes back by an invoice that comes in, with the goods where they came back. */
function restitutions(order: Order, now: number) {
  let left = totalOf(order, now);
  return order.steps
    .filter(
      ({ state, at }) => at <= now && (state === 'refunded' || state === 'partially_refunded'),
    )
    .map(({ state, at, amount = '0' }, index) => {
      const value = state === 'refunded' ? left : Math.min(left, cents(amount));
      left -= value;
      const isBack = state === 'refunded' && reachedAt(order, 'returned', now) !== null;
      return {
        items: isBack ? packed(order) : [],
        courier: null,
        invoiceNumber: `N${order.number}${index}`,
        invoiceValue: value,
        invoiceUrl: null,
        issuanceDate: written(at),
        trackingNumber: null,
        invoiceKey: null,
        trackingUrl: null,
        embeddedInvoice: null,
        type: 'Input',
        courierStatus: null,
        cfop: null,
        restitutions: { Refund: { value, giftCardData: null, items: [] } },
        volumes: null,
        EnableInferItems: false,
      };
    });
}

/** Like a folio fiscal, and always the same. */
export function folioOf(order: Order): string {
  const own = dice('vtex folio', order.id);
  const hex = Array.from({ length: 32 }, () => own.whole(0, 15).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function shippingData(order: Order) {
  const { street, city, state, zip } = order.buyer.address;
  return {
    id: 'shippingData',
    address: {
      addressType: 'residential',
      receiverName: `${order.buyer.firstName} ${order.buyer.lastName}`,
      postalCode: zip,
      city,
      state,
      country: 'MEX',
      street,
    },
    logisticsInfo: order.lines.map((_, itemIndex) => ({
      itemIndex,
      selectedSla: 'Envío estándar',
      price: itemIndex === 0 ? shippingOf(order) : 0,
      deliveryCompany: 'Envío estándar',
      deliveryIds: [{ courierId: '1', courierName: 'Estafeta', quantity: 1, warehouseId: '1_1' }],
    })),
    trackingHints: null,
  };
}

/** The list tells whole seconds. */
function seconds(at: number): string {
  return new Date(at).toISOString().replace('.000Z', '+00:00');
}
