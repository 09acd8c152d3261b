/** Order documents, in exactly the documented shape; every amount is in cents. */
import { dice } from '../dice.ts';
import { cents, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import {
  changedAt,
  groupOf,
  invoicedAt,
  orderIdOf,
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
    totalValue: totalOf(order),
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
      reachedAt(order, 'paid', now) === null ? null : seconds(reachedAt(order, 'paid', now) as number),
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
    value: totalOf(order),
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
    totals: totals(order),
    sellers: [{ id: '1', name: account, logo: null, fulfillmentEndpoint: null }],
    cancellationData: null,
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
    changesAttachment: null,
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
    items: order.lines.map((line, index) => item(order, line, index)),
    marketplaceItems: [],
  };
}

function totals(order: Order) {
  const listed = order.lines.reduce((sum, line) => sum + cents(line.listPrice) * line.quantity, 0);
  return [
    { id: 'Items', name: 'Total de los artículos', value: listed },
    { id: 'Discounts', name: 'Total de descuentos', value: cents(order.total) - listed },
    { id: 'Shipping', name: 'Costo total del envío', value: shippingOf(order) },
    { id: 'Tax', name: 'Costo total del impuesto', value: 0 },
  ];
}

/** Some lines have pieces of two prices, and their `sellingPrice` is the price of none or one. */
function item(order: Order, line: Line, index: number) {
  const unit = cents(line.unitPrice);
  const isMixed = line.quantity === 2 && dice('vtex prices', order.id, index).chance(1 / 2);
  const sellingPrices = isMixed
    ? [
        { value: unit + 50, quantity: 1 },
        { value: unit - 50, quantity: 1 },
      ]
    : [{ value: unit, quantity: line.quantity }];
  const sellingPrice = isMixed ? unit + 50 : unit;
  return {
    uniqueId: `${order.number}${index}`.padStart(32, 'A'),
    id: String(skuIdOf(line.sku)),
    productId: String(skuIdOf(line.product.sku)),
    ean: null,
    quantity: line.quantity,
    seller: '1',
    name: line.title,
    refId: line.sku,
    price: sellingPrice,
    listPrice: cents(line.listPrice),
    manualPrice: null,
    priceTags: [],
    sellerSku: String(skuIdOf(line.sku)),
    commission: 0,
    tax: 0,
    measurementUnit: 'un',
    unitMultiplier: 1.0,
    sellingPrice,
    isGift: false,
    priceDefinition: {
      sellingPrices,
      calculatedSellingPrice: sellingPrice,
      total: unit * line.quantity,
      reason: null,
    },
    taxCode: '',
    costPrice: null,
  };
}

function sent(order: Order, now: number) {
  const invoiced = invoicedAt(order, now);
  if (invoiced === null) return [];
  const isOnItsWay = reachedAt(order, 'shipped', now) !== null;
  const delivered = reachedAt(order, 'delivered', now);
  return [
    {
      items: order.lines.map((line, itemIndex) => ({
        itemIndex,
        quantity: line.quantity,
        price: cents(line.unitPrice),
        description: null,
        unitMultiplier: 1.0,
      })),
      courier: isOnItsWay ? dice('vtex carrier', order.id).pick(CARRIERS) : null,
      invoiceNumber: `F${order.number}`,
      invoiceValue: totalOf(order),
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

/** Money goes back by an invoice that comes in. */
function restitutions(order: Order, now: number) {
  let left = totalOf(order);
  return order.steps
    .filter(({ state, at }) => at <= now && (state === 'refunded' || state === 'partially_refunded'))
    .map(({ state, at, amount = '0' }, index) => {
      const value = state === 'refunded' ? left : Math.min(left, cents(amount));
      left -= value;
      return {
        items: [],
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
