import { hash } from 'node:crypto';
import { OPEN_TAGS } from '../../../connectors/contract.ts';
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
  tag: 'o',
} as const;
type Kind = keyof typeof KINDS;

/** Of a value in a term. */
const LONGEST = 200;

/** A title is long and is never looked up by its beginning. */
const DIGEST_LENGTH = 11;

export function termOf(kind: Kind, value: string): string {
  const text =
    kind === 'title' ? hash('sha256', cut(value), 'base64url').slice(0, DIGEST_LENGTH) : cut(value);
  return `${KINDS[kind]}:${text}`;
}

function cut(value: string): string {
  return value.length > LONGEST ? [...value].slice(0, LONGEST).join('') : value;
}

/** The value of a term that is no title's. */
export function valueIn(term: string): string {
  return term.slice(term.indexOf(':') + 1);
}

/** A text of an order that one of its terms is made of; amounts are decimals. */
type Source = readonly [Kind, string];

/** Everything that an order is found by, beside its id. Equal sources give equal terms. */
export function sourcesOf(order: PublicOrder): Source[] {
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

export function termsOf(sources: readonly Source[]): string[] {
  const terms = sources.flatMap(([kind, text]) => {
    const value = valueFrom[kind](text);
    return value === '' ? [] : [termOf(kind, value)];
  });
  return [...new Set(terms)];
}

/** The titles of its goods, as searched for; each has a term. */
export function titlesOf(sources: readonly Source[]): string[] {
  const titles = sources.filter(([kind]) => kind === 'title').map(([, text]) => cut(plain(text)));
  return [...new Set(titles)].filter((title) => title !== '');
}

const asGiven = (text: string) => text;
const valueFrom: Readonly<Record<Kind, (text: string) => string>> = {
  buyer: plain,
  sku: plain,
  title: plain,
  amount: (text) => add(text as Decimal),
  tracking: plain,
  pack: plain,
  payment: asGiven,
  fulfillment: asGiven,
  tag: asGiven,
};

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
  return termOf('amount', valueFrom.amount(amount));
}

function plain(text: string): string {
  return fold(text).trim().replaceAll(/\s+/g, ' ');
}
