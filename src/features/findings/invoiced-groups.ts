import type { ReadScope } from '../../platform/db/database.ts';
import {
  absolute,
  add,
  compare,
  type Decimal,
  multiply,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { compareInstants } from '../../platform/time.ts';
import { CENT, worthsOf } from '../cfdi/index.ts';
import { type OrderTotal, orderKey, orderTotals } from '../orders/index.ts';
import type { MarketplaceAccount } from './accounts.ts';
import * as store from './store-invoiced.ts';
import type { FoundRow } from './store-rule.ts';

/** Documents and orders that are linked to each other, all of them. */
interface Group {
  readonly documents: readonly store.InvoiceRow[];
  readonly orders: readonly OrderTotal[];
  /** What a credit note gives back of an invoice without orders is not known. */
  readonly isWhole: boolean;
  /** The invoices may be for sales of no order, too. */
  readonly mayHoldMore: boolean;
}

interface Connected {
  readonly links: readonly store.InvoicedRow[];
  readonly credited: readonly { readonly uuid: string; readonly related_uuid: string }[];
}

interface Known {
  readonly documents: ReadonlyMap<string, store.InvoiceRow>;
  readonly orders: ReadonlyMap<string, OrderTotal>;
  readonly copies: ReadonlySet<string>;
}

/**
 * What is invoiced is compared with what was sold as sums: of all invoices and orders that are linked
 * to each other, less their credit notes. A finding is one of the first order of its group.
 * @param times the two ends of the time in which an invoice was issued
 * @param tags of copies of orders, which `tagsLeftOut` gives
 */
export async function invoicesThatDiffer(
  scope: ReadScope,
  account: MarketplaceAccount,
  times: readonly [from: string, to: string],
  tags: readonly string[],
): Promise<FoundRow[]> {
  const { marketplace, accountId } = account;
  const suspected = await store.suspected(scope, [marketplace, accountId, ...times]);
  if (suspected.length === 0) return [];
  const groups = await groupsOf(scope, await connectedTo(scope, suspected), tags);
  return groups.flatMap((group) => {
    const [first] = group.orders.toSorted((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
    const isOwn = first?.marketplace === marketplace && first.accountId === accountId;
    if (!isOwn || !isComparable(group) || isExplained(group)) return [];
    const [since] = group.documents.map((one) => one.issued_at).sort(compareInstants);
    if (!since) return [];
    return [{ subject: first.id, currency: first.currency, ...differenceOf(group), since }];
  });
}

/** Follows the links of orders and credit notes until there are no more. */
async function connectedTo(scope: ReadScope, uuids: readonly string[]): Promise<Connected> {
  const known = new Set<string>();
  const links = new Map<string, store.InvoicedRow>();
  const credited = new Map<string, Connected['credited'][number]>();
  for (let next = [...uuids]; next.length > 0; ) {
    for (const uuid of next) known.add(uuid);
    const near = await store.around(scope, next);
    for (const link of near) links.set(`${link.uuid} ${keyOf(link)}`, link);
    const notes = await store.credited(scope, next);
    for (const note of notes) credited.set(`${note.uuid} ${note.related_uuid}`, note);
    const found = [...near, ...notes].map(({ uuid }) => uuid);
    const all = new Set([...found, ...notes.map(({ related_uuid }) => related_uuid)]);
    next = [...all].filter((uuid) => !known.has(uuid));
  }
  return { links: [...links.values()], credited: [...credited.values()] };
}

async function groupsOf(
  scope: ReadScope,
  connected: Connected,
  tags: readonly string[],
): Promise<Group[]> {
  const { links, credited } = connected;
  const uuids = [...links, ...credited].map(({ uuid }) => uuid);
  const related = credited.map(({ related_uuid }) => related_uuid);
  const documents = await store.some(scope, [...new Set([...uuids, ...related])]);
  const ids = [...new Set(links.map(({ order_id }) => order_id))];
  const known: Known = {
    documents: new Map(documents.map((one) => [one.uuid, one])),
    orders: new Map((await orderTotals(scope, ids)).map((one) => [orderKey(one), one])),
    copies: new Set((await store.copies(scope, ids, tags)).map(keyOf)),
  };
  const rootOf = rootsOf([
    ...links.map((link) => [link.uuid, keyOf(link)] as const),
    ...credited.map((note) => [note.uuid, note.related_uuid] as const),
  ]);
  const notes = Map.groupBy(credited, ({ uuid }) => rootOf(uuid));
  return [...Map.groupBy(links, ({ uuid }) => rootOf(uuid))].map(([root, its]) =>
    groupFrom({ links: its, credited: notes.get(root) ?? [] }, known),
  );
}

function groupFrom({ links, credited }: Connected, known: Known): Group {
  const uuids = new Set(links.map(({ uuid }) => uuid));
  for (const { uuid, related_uuid } of credited) uuids.add(uuid).add(related_uuid);
  const keys = new Set(links.map(keyOf));
  const documents = [...uuids].flatMap((uuid) => known.documents.get(uuid) ?? []);
  const stored = [...keys].flatMap((key) => known.orders.get(key) ?? []);
  const orders = stored.filter((order) => !known.copies.has(orderKey(order)));
  const linksOf = Map.groupBy(links, ({ uuid }) => uuid);
  const isOfOrders = ({ uuid, is_credit }: store.InvoiceRow) => is_credit || linksOf.has(uuid);
  return {
    documents,
    orders: orders.length > 0 ? orders : stored,
    isWhole:
      documents.length === uuids.size && stored.length === keys.size && documents.every(isOfOrders),
    mayHoldMore: documents.some(({ uuid, is_public, is_credit }) => {
      const its = linksOf.get(uuid) ?? [];
      return is_public && !is_credit && (its.length > 1 || its.some((one) => one.is_named));
    }),
  };
}

/** The same text for all that is connected. */
function rootsOf(pairs: readonly (readonly [string, string])[]): (member: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (member: string): string => {
    let root = member;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    if (root !== member) parents.set(member, root);
    return root;
  };
  for (const [one, other] of pairs) {
    const [from, to] = [rootOf(one), rootOf(other)];
    if (from !== to) parents.set(from, to);
  }
  return rootOf;
}

function isComparable({ documents, orders, isWhole }: Group): boolean {
  const currencies = new Set([...documents, ...orders].map(({ currency }) => currency));
  return isWhole && currencies.size === 1 && orders.every(({ total }) => total !== null);
}

/** The orders' worth may be with any of the parts that their totals leave out. */
function isExplained({ documents, orders, mayHoldMore }: Group): boolean {
  const worths = worthsOf(orders);
  return netsOf(documents, orders).some((net) =>
    worths.some((worth) => {
      const more = subtract(net, worth);
      return compare(mayHoldMore ? multiply(more, -1) : absolute(more), CENT) < 0;
    }),
  );
}

/** The least one, beside the totals. */
function differenceOf({ documents, orders }: Group): { amount: Decimal; expected: Decimal } {
  const expected = add(ZERO, ...orders.map(({ total }) => total ?? ZERO));
  const [amount = ZERO] = netsOf(documents, orders)
    .map((net) => subtract(net, expected))
    .sort((a, b) => compare(absolute(a), absolute(b)));
  return { amount, expected };
}

/**
 * What was invoiced, and the same as it was before buyers got money back. A credit note is for a
 * refund, or corrects an invoice; and an order that is refunded early is invoiced for the rest.
 */
function netsOf(documents: readonly store.InvoiceRow[], orders: readonly OrderTotal[]): Decimal[] {
  const [credits = [], invoices = []] = [true, false].map((isCredit) =>
    documents.filter(({ is_credit }) => is_credit === isCredit).map(({ charged }) => charged),
  );
  const gross = add(ZERO, ...invoices);
  const givenBack = add(ZERO, ...orders.map((order) => order.givenBack));
  return [gross, subtract(gross, add(ZERO, ...credits))].flatMap((net) => [
    net,
    add(net, givenBack),
  ]);
}

function keyOf({
  marketplace,
  account_id: accountId,
  order_id: id,
}: Pick<store.InvoicedRow, 'marketplace' | 'account_id' | 'order_id'>): string {
  return orderKey({ marketplace, accountId, id });
}
