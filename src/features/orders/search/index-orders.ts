import { OPEN_TAGS } from '../../../connectors/contract.ts';
import { flushed } from '../../../platform/db/database.ts';
import type { OrderChange, OrderListener, PublicOrder } from '../order.ts';
import { keyRowOf } from '../store-keys.ts';
import * as store from './store.ts';
import { cut, type Kind, plain, termOf, valueFrom } from './term.ts';

/** A text of an order that one of its terms is made of; amounts are decimals. */
type Source = readonly [Kind, string];

/** By position and term: an order that moves in lists has other rows. */
type Rows = ReadonlyMap<string, store.TermRow>;

/** What an order is found by. */
interface FoundBy {
  readonly rows: Rows;
  readonly titles: readonly string[];
}

const BY_NOTHING: FoundBy = { rows: new Map(), titles: [] };

/** Keeps what orders are found by, in the transaction that changes them. */
export const indexOrders: OrderListener = async (scope, changes) => {
  // Queries of other listeners are sent first: computing takes a while.
  await flushed();
  const moves = changes.map(moveOf).filter((move) => move !== null);
  await store.removeTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(former.rows, now.rows)),
  );
  await store.addTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(now.rows, former.rows)),
  );
  const titles = moves.flatMap(({ former, now }) =>
    now.titles.filter((title) => !former.titles.includes(title)),
  );
  await store.addTitles(scope, [...new Set(titles)]);
};

export function foundBy(order: PublicOrder): FoundBy {
  const sources = sourcesOf(order);
  const position = { newest_first: -order.dateCreated.epochMilliseconds, ...keyRowOf(order) };
  const rows = new Map(
    termsOf(sources).map((term) => [`${position.newest_first} ${term}`, { term, ...position }]),
  );
  return { rows, titles: titlesOf(sources) };
}

/** Null where the order is found as before, as after most changes. */
function moveOf({ before, after }: OrderChange): { former: FoundBy; now: FoundBy } | null {
  if (before && searchKey(before) === searchKey(after)) return null;
  return { former: before ? foundBy(before) : BY_NOTHING, now: foundBy(after) };
}

/** Equal for orders that are found by the same terms at the same position. */
function searchKey(order: PublicOrder): string {
  return JSON.stringify([order.dateCreated.epochMilliseconds, sourcesOf(order)]);
}

/** The rows that the others do not have. */
function missing(rows: Rows, others: Rows): store.TermRow[] {
  return [...rows].filter(([key]) => !others.has(key)).map(([, row]) => row);
}

/** Everything that an order is found by, beside its id. Equal sources give equal terms. */
function sourcesOf(order: PublicOrder): Source[] {
  const { buyerName, items, total, shipping, packId, tags } = order;
  const sources: [Kind, string | null | undefined][] = [
    ['buyer', buyerName],
    ['amount', total],
    ['tracking', shipping?.trackingNumber],
    ['pack', packId],
    ['payment', order.paymentStatus],
    ['fulfillment', order.fulfillmentStatus],
    ...OPEN_TAGS.filter((tag) => tags.includes(tag)).map((tag): [Kind, string] => ['tag', tag]),
    ...items.map(({ sku }): [Kind, string | null] => ['sku', sku]),
    ...items.map(({ title }): [Kind, string] => ['title', title]),
  ];
  return sources.filter((source): source is [Kind, string] => Boolean(source[1]));
}

function termsOf(sources: readonly Source[]): string[] {
  const terms = sources.flatMap(([kind, text]) => {
    const value = valueFrom[kind](text);
    return value === '' ? [] : [termOf(kind, value)];
  });
  return [...new Set(terms)];
}

/** The titles of its goods, as searched for; each has a term. */
function titlesOf(sources: readonly Source[]): string[] {
  const titles = sources.filter(([kind]) => kind === 'title').map(([, text]) => cut(plain(text)));
  return [...new Set(titles)].filter((title) => title !== '');
}
