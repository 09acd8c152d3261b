import { importedDocument } from '../../platform/documents.ts';
import { isStorable, parseLossless } from '../../platform/json.ts';
import type { Instant } from '../../platform/time.ts';
import type { Order, PublicOrder } from './order.ts';
import { ORDER } from './public/fields.ts';

/** Why a line is no order, in Spanish. */
export class UnreadableOrder extends Error {}

/** The API's own fields, of lists and of the detail; unknown ones are ignored. */
const Line = importedDocument<PublicOrder>(ORDER);

/**
 * Reads one canonical order from a line of JSON. Derived fields are computed anew.
 * @throws UnreadableOrder
 */
export function readOrder(line: string, fetchedAt: Instant): Order {
  const parsed = Line.safeParse(parse(line));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.');
    throw new UnreadableOrder(
      field
        ? `El campo ${field} ${issue?.message ?? 'no es válido'}.`
        : `La línea ${issue?.message ?? 'no es válida'}.`,
    );
  }
  const order = parsed.data;
  return {
    ...order,
    connectionId: null,
    marketplaceStatus: order.marketplaceStatus || order.status,
    items: order.items.map((item) => ({ ...item, currency: item.currency || order.currency })),
    changedAt: null,
    fetchedAt,
    unpriced: [],
    keep: [],
    raw: null,
  };
}

function parse(line: string): unknown {
  let value: unknown;
  try {
    value = parseLossless(line);
  } catch {
    throw new UnreadableOrder('La línea no es JSON válido.');
  }
  if (!isStorable(value)) throw new UnreadableOrder('La línea tiene caracteres que no son texto.');
  return value;
}
