/** An order of the older REST shape, rendered in that of Admin GraphQL. */
import { isRecord, textOf } from '../exact-json.ts';
import { AS_GIVEN } from './graphql.ts';

export type Document = Record<string | symbol, unknown>;
type Money = (amount: unknown) => { shopMoney: { amount: unknown; currencyCode: unknown } } | null;

const LAST = { hasNextPage: false, endCursor: null };

const SENT: Record<string, string> = {
  fulfilled: 'FULFILLED',
  partial: 'PARTIALLY_FULFILLED',
  restocked: 'RESTOCKED',
};

export function fromRest(row: Document): Document {
  const money = moneyOf(row);
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
    currencyCode: textOf(row.currency),
    taxesIncluded: row.taxes_included,
    totalPriceSet: money(row.total_price),
    totalTipReceivedSet: money(row.total_tip_received),
    totalTaxSet: money(row.total_tax),
    ...refundFields(row, money),
    customer: isRecord(row.customer) ? personOf(row.customer) : null,
    shippingAddress: isRecord(row.shipping_address) ? personOf(row.shipping_address) : null,
    lineItems: { nodes: linesOf(row, money), pageInfo: LAST },
    shippingLines: {
      nodes: rowsOf(row, 'shipping_lines').map((line) => ({
        title: line.title,
        discountedPriceSet: money(line.discounted_price ?? line.price),
      })),
      pageInfo: LAST,
    },
    fulfillments: rowsOf(row, 'fulfillments').map((parcel) => ({
      status: upper(parcel.status),
      displayStatus: null,
      trackingInfo: [{ company: parcel.tracking_company, number: parcel.tracking_number }],
    })),
  };
}

/** Of each refund the transactions that succeeded, and the sum of all. */
function refundFields(row: Document, money: Money) {
  const paidBack = (refund: Document) =>
    rowsOf(refund, 'transactions')
      .filter(({ kind, status }) => kind === 'refund' && status === 'success')
      .reduce((sum, { amount }) => sum + Number(textOf(amount)), 0)
      .toFixed(2);
  const refunds = rowsOf(row, 'refunds').map((refund) => ({
    createdAt: refund.created_at,
    processedAt: refund.processed_at ?? refund.created_at,
    totalRefundedSet: money(paidBack(refund)),
  }));
  const total = refunds.reduce(
    (sum, { totalRefundedSet }) => sum + Number(totalRefundedSet?.shopMoney.amount),
    0,
  );
  return { totalRefundedSet: money(total.toFixed(2)), refunds };
}

/** Discounts are listed with the order; a line names its own by their places in that list. */
function linesOf(row: Document, money: Money) {
  const applications = rowsOf(row, 'discount_applications');
  const upperOf = (application: Document | undefined) => ({
    allocationMethod: upper(application?.allocation_method),
    targetSelection: upper(application?.target_selection),
  });
  const allocationsOf = (line: Document) =>
    rowsOf(line, 'discount_allocations').map(({ amount, discount_application_index }) => ({
      allocatedAmountSet: money(amount),
      discountApplication: upperOf(applications[Number(textOf(discount_application_index))]),
    }));
  return rowsOf(row, 'line_items').map((line) => ({
    id: `gid://shopify/LineItem/${textOf(line.id)}`,
    title: line.title,
    name: line.name,
    sku: line.sku,
    variantTitle: line.variant_title,
    quantity: line.quantity,
    currentQuantity: line.current_quantity,
    originalUnitPriceSet: money(line.price),
    discountAllocations: allocationsOf(line),
  }));
}

function personOf(person: Document) {
  return {
    firstName: person.first_name,
    lastName: person.last_name,
    name: person.name,
    displayName: [person.first_name, person.last_name].filter(Boolean).join(' '),
  };
}

/** In the order's currency. */
function moneyOf({ currency }: Document): Money {
  return (amount) =>
    amount === null || amount === undefined
      ? null
      : { shopMoney: { amount: textOf(amount), currencyCode: textOf(currency) } };
}

function rowsOf(document: Document, name: string): Document[] {
  const rows = document[name];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

function upper(word: unknown): string | null {
  return typeof word === 'string' ? word.toUpperCase() : null;
}
