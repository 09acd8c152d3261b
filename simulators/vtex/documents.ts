/** Order documents, in exactly the documented shape; every amount is in cents. */
import { cents, type Order, placedAt, reachedAt } from '../order.ts';
import {
  type Changed,
  changedAt,
  changeOf,
  groupOf,
  invoicedAt,
  orderIdOf,
  paidFor,
  shippingOf,
  statusOf,
  totalOf,
  type View,
  written,
  writtenOrNull,
} from './facts.ts';
import { item, priceOf, promotions } from './items.ts';
import { restitutions, sent } from './packages.ts';

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

/** The items stay as they were ordered, and the change is beside them. */
function changes(order: Order, now: number) {
  const change = changeOf(order, now);
  if (!change) return null;
  const reported = (items: readonly Changed[]) =>
    items.map((one) => ({ ...one, id: String(one.id), unitMultiplier: null }));
  const changesData = [
    {
      reason: 'Acordado con el cliente',
      discountValue: Math.max(0, -change.value),
      incrementValue: Math.max(0, change.value),
      itemsAdded: reported(change.added),
      itemsRemoved: reported(change.removed),
      receipt: {
        date: writtenOrNull(reachedAt(order, 'packed', now)),
        orderId: orderIdOf(order),
        receipt: `r-${order.number}`,
      },
    },
  ];
  return { id: 'changeAttachment', changesData };
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

/** The list has whole seconds. */
function seconds(at: number): string {
  return new Date(at).toISOString().replace('.000Z', '+00:00');
}
