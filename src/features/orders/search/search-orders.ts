import { OPEN_TAGS } from '../../../connectors/contract.ts';
import type { CursorMaker } from '../../../platform/cursor.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import {
  choices,
  type GivenBy,
  identifiers,
  isGiven,
  wording,
} from '../../../platform/input-fields.ts';
import {
  makeCursor,
  openCursor,
  type PageQuery,
  type Walk,
} from '../../../platform/walk-cursor.ts';
import { asOfMicros, type DeltaClock } from '../as-of.ts';
import type { OrderFilters } from '../filters.ts';
import type { OrderPage } from '../list-orders.ts';
import { ceilMillis } from '../store-page.ts';
import { beginWalk, continueWalk } from '../walk-as-of.ts';
import * as store from './store.ts';
import { termOf, valueIn } from './term.ts';
import { meantBy } from './typed-terms.ts';

const LONGEST_WORD = 200;
const TOO_LONG = `admite hasta ${LONGEST_WORD} caracteres.`;

/** Beside the filters of lists. They hold together (AND); a list holds any of its values (OR). */
export const SEARCH_FILTERS = {
  search: wording(
    'Número de orden completo, número de rastreo, SKU o nombre del comprador (desde su inicio), parte del título de un producto, ' +
      'o el total exacto; no importan mayúsculas ni acentos.',
    'taza azul',
  ),
  payment_status: identifiers(
    'Solo con estos estados del pago, con las palabras del marketplace.',
    ['approved'],
    LONGEST_WORD,
    TOO_LONG,
  ),
  fulfillment_status: identifiers(
    'Solo con estos estados del surtido, con las palabras del marketplace.',
    ['shipped'],
    LONGEST_WORD,
    TOO_LONG,
  ),
  tag: choices(
    OPEN_TAGS,
    'Solo con una devolución, un reclamo o una cancelación por resolver.',
    OPEN_TAGS,
  ),
};
export type SearchFilters = GivenBy<typeof SEARCH_FILTERS> & Omit<OrderFilters, 'updatedSince'>;

interface FoundOrders extends OrderPage {
  /** More goods have these words than are searched for: some orders may be missing. */
  readonly isCut: boolean;
  /** False while older orders still get their terms. */
  readonly isComplete: boolean;
}

const WALK: Walk<SearchFilters> = { kind: 'orders.search', instants: { from: true, to: true } };
type CursorPosition = [asOf: number, newest: number, key: string];

/** Terms that one text may stand for, of each kind. */
const MOST_TERMS = 50;
const MOST_TITLES = 150;
/** Orders with the terms that a page looks at, where further conditions leave some out. */
const MOST_LOOKED_AT = 500;
const FIRST = Number.MIN_SAFE_INTEGER;
const LAST = Number.MAX_SAFE_INTEGER;
/** Of a position; no order is there. */
const FIRST_KEY = '0';

/** Whether this is a search at all, and not the list itself. */
export function isSearch({ search, ...words }: SearchFilters): boolean {
  const { paymentStatus, fulfillmentStatus, tag } = words;
  return Boolean(search?.trim()) || [paymentStatus, fulfillmentStatus, tag].some(isGiven);
}

/** Whether a cursor is of a search, whose filters may be left out then. @throws Failure invalid_cursor */
export function continuesSearch(cursors: CursorMaker, cursor: string | null): boolean {
  return cursor !== null && (cursors.open(cursor) as readonly unknown[])[0] === WALK.kind;
}

/**
 * One page of the orders that a text, a word of payment or fulfilment, or a tag finds, newest
 * first. A page reads a bounded number of orders, so it may have fewer than its limit and still be followed.
 * @param clock the cached delta clock of the organisation; null = it is read before the page.
 * @throws Failure invalid_cursor
 */
export async function searchOrders(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...given }: SearchFilters & PageQuery,
  clock: DeltaClock | null,
): Promise<FoundOrders> {
  const { organizationId } = scope;
  const opened = cursor === null ? null : openCursor(WALK, organizationId, cursors, cursor, given);
  const filters = (opened?.filters ?? given) as SearchFilters;
  const [asOfThen, ...after] = (opened?.position ?? []) as Partial<CursorPosition>;
  const asOf = asOfThen
    ? await continueWalk(scope, asOfMicros(asOfThen))
    : await beginWalk(scope, clock, null);
  const { search, paymentStatus, fulfillmentStatus, tag, from, to, ...kept } = filters;
  const terms = { search, paymentStatus, fulfillmentStatus, tag };
  const { walked, isCut } = await conditionsOf(scope, terms);
  const { payment, fulfillment, tag: tags } = walked;
  const isNarrowed = [...Object.values(kept), payment, fulfillment, tags].some(isGiven);
  const most = isNarrowed ? MOST_LOOKED_AT : limit + 1;
  const [newest = FIRST, key = FIRST_KEY] = after;
  const met = await store.search(scope, {
    ...walked,
    ...kept,
    first: to ? -to.epochMilliseconds : FIRST,
    last: from ? -ceilMillis(from) : LAST,
    after: { newest_first: newest, order_key: key },
    most,
  });
  const found = met.filter(({ list_json }) => list_json !== null);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : met.length === most ? met.at(-1) : undefined;
  const next: CursorPosition | undefined = last && [
    asOf.micros,
    Number(last.newest_first),
    last.order_key,
  ];
  const build = await store.buildOf(scope);
  return {
    json: `[${page.map(({ list_json }) => list_json).join(',\n')}]`,
    count: page.length,
    nextCursor: next ? makeCursor(WALK, organizationId, cursors, filters, next) : null,
    asOf,
    isCut,
    isComplete: !build || build.is_repeated,
  };
}

/** From the rarest to the most frequent. */
const WALKED = ['tag', 'payment', 'fulfillment'] as const;

/** The rarest condition is walked, the others are looked up: a text finds less than a status. */
async function conditionsOf(scope: ReadScope, filters: GivenBy<typeof SEARCH_FILTERS>) {
  const conditions = {
    payment: filters.paymentStatus.map((word) => termOf('payment', word)),
    fulfillment: filters.fulfillmentStatus.map((word) => termOf('fulfillment', word)),
    tag: filters.tag.map((word) => termOf('tag', word)),
  };
  const text = filters.search?.trim();
  if (text) {
    const { id, terms, isCut } = await termsMeantBy(scope, text);
    return { walked: { ...conditions, terms, id }, isCut };
  }
  const rarest = WALKED.find((name) => isGiven(conditions[name])) ?? 'payment';
  const walked = { ...conditions, [rarest]: [], terms: conditions[rarest], id: null };
  return { walked, isCut: false };
}

async function termsMeantBy(scope: ReadScope, text: string) {
  const meant = meantBy(text);
  const terms = new Set(meant.terms);
  let isCut = false;
  for (const prefix of meant.prefixes) {
    const some = await store.termsBeginning(scope, prefix, MOST_TERMS + 1);
    isCut ||= some.length > MOST_TERMS;
    for (const term of some.slice(0, MOST_TERMS)) terms.add(term);
  }
  if (meant.words.length > 0) {
    const titles = await store.titlesWith(scope, meant.words, MOST_TITLES + 1);
    isCut ||= titles.length > MOST_TITLES;
    for (const title of titles.slice(0, MOST_TITLES)) terms.add(termOf('title', title));
  }
  return { id: meant.id, terms: [...terms], isCut };
}

const MOST_WORDS = 50;

/** The words of payment and fulfilment that the organisation's orders have. */
export async function orderWords(
  scope: ReadScope,
): Promise<{ payment: string[]; fulfillment: string[] }> {
  const of = async (kind: 'payment' | 'fulfillment') =>
    (await store.termsBeginning(scope, termOf(kind, ''), MOST_WORDS)).map(valueIn);
  return { payment: await of('payment'), fulfillment: await of('fulfillment') };
}
