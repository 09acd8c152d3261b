import type { ReadScope } from '../../platform/db/database.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import {
  type OrderIdentity,
  orderKey,
  ordersOfTotal,
  orderTotals,
  packTotals,
} from '../orders/index.ts';
import { namesIn } from './named-orders.ts';
import { chargedBy } from './withheld.ts';
import type { CfdiRecord } from './xml/record.ts';

/** Why an order may belong to an invoice. */
export const CANDIDATE_REASONS = ['named', 'sku_total_and_date', 'total_and_date'] as const;

/** An order that may belong to an invoice; a person decides. */
export interface Candidate {
  readonly order: OrderIdentity;
  readonly reason: (typeof CANDIDATE_REASONS)[number];
  /** Null where the source withholds it. */
  readonly total: Decimal | null;
  readonly currency: string;
  /** Null = only its name was looked at. */
  readonly createdAt: Instant | null;
}

const MOST = 20;
/** A global invoice has thousands. */
const MOST_NAMES = 10_000;
/** Invoices are asked for until the end of the month, and made ahead of an order never. */
const DAYS_BEFORE = 31;
const DAYS_AFTER = 1;

/** The orders that may belong to an invoice, the surest first. @param linked are left out */
export async function candidatesFor(
  scope: ReadScope,
  record: CfdiRecord,
  linked: readonly OrderIdentity[],
): Promise<Candidate[]> {
  const names = namesIn(record);
  const asked = [...names.keys()].slice(0, MOST_NAMES);
  const named = [...(await orderTotals(scope, asked)), ...(await packTotals(scope, asked))];
  const issuedAt = Temporal.Instant.from(record.issued_at);
  const span = {
    from: issuedAt.subtract({ hours: 24 * DAYS_BEFORE }),
    to: issuedAt.add({ hours: 24 * DAYS_AFTER }),
  };
  const worth = { total: chargedBy(record), currency: record.currency };
  const alike = await ordersOfTotal(scope, span, worth, MOST);
  const skus = new Set(record.items.map(({ sku }) => sku));
  const found: Candidate[] = [
    ...named.map(({ marketplace, accountId, id, total, currency }) => ({
      order: { marketplace, accountId, id },
      reason: 'named' as const,
      total,
      currency,
      createdAt: null,
    })),
    ...alike.map((order) => ({
      order: { marketplace: order.marketplace, accountId: order.accountId, id: order.id },
      reason: order.items.some(({ sku }) => sku !== null && skus.has(sku))
        ? ('sku_total_and_date' as const)
        : ('total_and_date' as const),
      total: order.total,
      currency: order.currency,
      createdAt: order.dateCreated,
    })),
  ];
  const known = new Set(linked.map(orderKey));
  const fresh = found.filter(({ order }) => {
    const key = orderKey(order);
    return !known.has(key) && known.add(key);
  });
  return fresh
    .sort((a, b) => CANDIDATE_REASONS.indexOf(a.reason) - CANDIDATE_REASONS.indexOf(b.reason))
    .slice(0, MOST);
}
