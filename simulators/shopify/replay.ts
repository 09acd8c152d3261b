/**
 * A folder of JSON documents, served as Shopify would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import { readFolder } from '../replay.ts';
import { AS_GIVEN } from './graphql.ts';

type Document = Record<string | symbol, unknown>;

export interface Replay {
  readonly orders: readonly Document[];
  readonly items: readonly Document[];
  /** Undefined = no document says anything of payments. */
  readonly payments: Document | null | undefined;
  readonly ignored: readonly string[];
  order(id: string): Document | undefined;
  item(id: string): Document | undefined;
}

export async function openReplay(folder: string): Promise<Replay> {
  const orders = new Map<string, Document>();
  const items = new Map<string, Document>();
  let payments: Document | null | undefined;

  /** @returns whether there is anything in it to be served. */
  function keep(document: unknown): boolean {
    const data = isRecord(document) && isRecord(document.data) ? document.data : null;
    if (!data || 'errors' in (document as Document)) return keepRest(document);
    const found = [...nodesOf(data.orders), ...(isRecord(data.order) ? [data.order] : [])];
    for (const order of found) orders.set(tailOf(order.id), asGiven(order));
    const stocked = nodesOf(data.inventoryItems);
    for (const item of stocked) items.set(tailOf(item.id), asGiven(item));
    if (isRecord(data.shopifyPaymentsAccount)) payments = asGiven(data.shopifyPaymentsAccount);
    return found.length + stocked.length > 0 || 'shopifyPaymentsAccount' in data;
  }

  /** Orders of the older shape are rendered in the newer one. */
  function keepRest(document: unknown): boolean {
    const rows = isRecord(document) && Array.isArray(document.orders) ? document.orders : [];
    for (const row of rows.filter(isRecord)) orders.set(textOf(row.id) ?? '', fromRest(row));
    return rows.length > 0;
  }

  const ignored = await readFolder(folder, keep);
  return {
    orders: [...orders.values()],
    items: [...items.values()],
    get payments() {
      return payments;
    },
    ignored,
    order: (id) => orders.get(id),
    item: (id) => items.get(id),
  };
}

function nodesOf(page: unknown): Document[] {
  return isRecord(page) && Array.isArray(page.nodes) ? page.nodes.filter(isRecord) : [];
}

function asGiven(document: Document): Document {
  return { ...document, [AS_GIVEN]: true };
}

function tailOf(id: unknown): string {
  return String(id).split('/').at(-1) ?? '';
}

const LAST = { hasNextPage: false, endCursor: null };

function personOf(person: Document) {
  return {
    firstName: person.first_name,
    lastName: person.last_name,
    name: person.name,
    displayName: [person.first_name, person.last_name].filter(Boolean).join(' '),
  };
}

const SENT: Record<string, string> = {
  fulfilled: 'FULFILLED',
  partial: 'PARTIALLY_FULFILLED',
  restocked: 'RESTOCKED',
};

function fromRest(row: Document): Document {
  const currency = textOf(row.currency);
  const money = (amount: unknown) =>
    amount === null || amount === undefined
      ? null
      : { shopMoney: { amount: textOf(amount), currencyCode: currency } };
  const upper = (word: unknown) => (typeof word === 'string' ? word.toUpperCase() : null);
  const rows = (name: string, of: Document = row) =>
    Array.isArray(of[name]) ? of[name].filter(isRecord) : [];
  const paidBack = (refund: Document) =>
    rows('transactions', refund)
      .filter(({ kind, status }) => kind === 'refund' && status === 'success')
      .reduce((sum, { amount }) => sum + Number(textOf(amount)), 0)
      .toFixed(2);
  const applications = rows('discount_applications');
  const upperOf = (application: Document | undefined) => ({
    allocationMethod: upper(application?.allocation_method),
    targetSelection: upper(application?.target_selection),
  });
  const allocationsOf = (line: Document) =>
    rows('discount_allocations', line).map(({ amount, discount_application_index }) => ({
      allocatedAmountSet: money(amount),
      discountApplication: upperOf(applications[Number(textOf(discount_application_index))]),
    }));
  const refunds = rows('refunds').map((refund) => ({
    createdAt: refund.created_at,
    processedAt: refund.processed_at ?? refund.created_at,
    totalRefundedSet: money(paidBack(refund)),
  }));
  const total = refunds.reduce(
    (sum, { totalRefundedSet }) => sum + Number(totalRefundedSet?.shopMoney.amount),
    0,
  );
  return {
    [AS_GIVEN]: true,
    id: `gid://shopify/Order/${textOf(row.id)}`,
    legacyResourceId: textOf(row.id),
    name: row.name,
    test: row.test,
    tags: String(row.tags ?? '')
      .split(', ')
      .filter(Boolean),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
    cancelledAt: row.cancelled_at,
    displayFinancialStatus: upper(row.financial_status),
    displayFulfillmentStatus: SENT[String(row.fulfillment_status)] ?? 'UNFULFILLED',
    returnStatus: 'NO_RETURN',
    currencyCode: currency,
    taxesIncluded: row.taxes_included,
    totalPriceSet: money(row.total_price),
    totalTipReceivedSet: money(row.total_tip_received),
    totalTaxSet: money(row.total_tax),
    totalRefundedSet: money(total.toFixed(2)),
    refunds,
    customer: isRecord(row.customer) ? personOf(row.customer) : null,
    shippingAddress: isRecord(row.shipping_address) ? personOf(row.shipping_address) : null,
    lineItems: {
      nodes: rows('line_items').map((line) => ({
        id: `gid://shopify/LineItem/${textOf(line.id)}`,
        title: line.title,
        name: line.name,
        sku: line.sku,
        variantTitle: line.variant_title,
        quantity: line.quantity,
        currentQuantity: line.current_quantity,
        originalUnitPriceSet: money(line.price),
        discountAllocations: allocationsOf(line),
      })),
      pageInfo: LAST,
    },
    shippingLines: {
      nodes: rows('shipping_lines').map((line) => ({
        title: line.title,
        discountedPriceSet: money(line.discounted_price ?? line.price),
      })),
      pageInfo: LAST,
    },
    fulfillments: rows('fulfillments').map((parcel) => ({
      status: upper(parcel.status),
      displayStatus: null,
      trackingInfo: [{ company: parcel.tracking_company, number: parcel.tracking_number }],
    })),
  };
}
