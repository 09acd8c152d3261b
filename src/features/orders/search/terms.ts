import { OPEN_TAGS } from '../../../connectors/contract.ts';
import { add, type Decimal } from '../../../platform/money.ts';
import type { PublicOrder } from '../order.ts';
import { cut, type Kind, plain, termOf } from './term.ts';

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
export const valueFrom: Readonly<Record<Kind, (text: string) => string>> = {
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
