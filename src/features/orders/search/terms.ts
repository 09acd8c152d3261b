import { add, type Decimal, parseDecimal } from '../../../platform/money.ts';
import { fold } from '../../../platform/text.ts';
import { abbreviate } from '../buyer-name.ts';
import type { PublicOrder } from '../order.ts';

/** The kinds of terms; a term is `kind:value`. */
const KINDS = {
  buyer: 'b',
  sku: 's',
  title: 't',
  amount: 'a',
  tracking: 'g',
  pack: 'p',
  payment: 'y',
  fulfillment: 'f',
} as const;
type Kind = keyof typeof KINDS;

/** Of a value in a term. */
const LONGEST = 200;

export function termOf(kind: Kind, value: string): string {
  return `${KINDS[kind]}:${[...value].slice(0, LONGEST).join('')}`;
}

/** The value of a term, whatever its kind. */
export function valueIn(term: string): string {
  return term.slice(term.indexOf(':') + 1);
}

/** Everything that an order is found by, beside its id. */
export function termsOf(order: PublicOrder): string[] {
  const { buyerName, items, total, shipping, packId } = order;
  const terms = [
    buyerName && termOf('buyer', plain(buyerName)),
    total && amountTerm(total),
    shipping?.trackingNumber && termOf('tracking', plain(shipping.trackingNumber)),
    packId && termOf('pack', plain(packId)),
    order.paymentStatus && termOf('payment', order.paymentStatus),
    order.fulfillmentStatus && termOf('fulfillment', order.fulfillmentStatus),
    ...items.map(({ sku }) => sku && termOf('sku', plain(sku))),
    ...titlesOf(order).map((title) => termOf('title', title)),
  ];
  return [...new Set(terms.filter((term): term is string => Boolean(term)))];
}

/** The titles of its goods, as terms have them. */
export function titlesOf({ items }: PublicOrder): string[] {
  const titles = items.map(({ title }) => valueIn(termOf('title', plain(title))));
  return [...new Set(titles.filter((title) => title !== ''))];
}

/** What a typed text may stand for. */
interface Meant {
  /** An order's id, as typed. */
  readonly id: string;
  /** Terms that it is, whole. */
  readonly terms: readonly string[];
  /** Terms that begin so. */
  readonly prefixes: readonly string[];
  /** Titles have all of these words, or parts of words. */
  readonly words: readonly string[];
}

/** Shorter ones are too many. */
const SHORTEST_PREFIX = 2;

/** `279.90`, `$279.9` and `1,279.90 MXN` are amounts. */
const AMOUNT = /^\$? ?(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,6})?(?: ?[a-z]{3})?$/;

/** @param typed not blank */
export function meantBy(typed: string): Meant {
  const text = plain(typed);
  const abbreviated = text.includes(' ') ? abbreviate(typed) : null;
  const amount = amountIn(text);
  const beginnings = [
    termOf('buyer', text),
    ...(abbreviated ? [termOf('buyer', plain(abbreviated))] : []),
    termOf('sku', text),
    termOf('tracking', text),
    termOf('pack', text),
  ];
  return {
    id: typed.trim(),
    terms: amount ? [amountTerm(amount)] : [],
    prefixes: text.length < SHORTEST_PREFIX ? [] : [...new Set(beginnings)],
    words: text.length < SHORTEST_PREFIX ? [] : text.split(' '),
  };
}

function amountIn(text: string): Decimal | null {
  const [, whole, part = ''] = AMOUNT.exec(text) ?? [];
  return whole ? parseDecimal(whole.replaceAll(',', '') + part) : null;
}

/** Equal amounts are one term, however many zeros they end with. */
function amountTerm(amount: Decimal): string {
  return termOf('amount', add(amount));
}

function plain(text: string): string {
  return fold(text).trim().replaceAll(/\s+/g, ' ');
}
