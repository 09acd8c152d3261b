import { hash } from 'node:crypto';
import { add, type Decimal } from '../../../platform/money.ts';
import { fold } from '../../../platform/text.ts';

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
export type Kind = keyof typeof KINDS;

/** Of a value in a term. */
const LONGEST = 200;

/** A title is long and is never looked up by its beginning. */
const DIGEST_LENGTH = 11;

export function termOf(kind: Kind, value: string): string {
  const text =
    kind === 'title' ? hash('sha256', cut(value), 'base64url').slice(0, DIGEST_LENGTH) : cut(value);
  return `${KINDS[kind]}:${text}`;
}

export function cut(value: string): string {
  return value.length > LONGEST ? [...value].slice(0, LONGEST).join('') : value;
}

/** The value of a term that is no title's. */
export function valueIn(term: string): string {
  return term.slice(term.indexOf(':') + 1);
}

export function plain(text: string): string {
  return fold(text).trim().replaceAll(/\s+/g, ' ');
}

const asGiven = (text: string) => text;
/** The value of a term that a text of an order gives; empty = none. */
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
