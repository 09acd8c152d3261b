import { type Decimal, parseDecimal } from '../../../platform/money.ts';
import { abbreviate } from '../buyer-name.ts';
import { plain, termOf, valueFrom } from './term.ts';

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
