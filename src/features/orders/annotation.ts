import type { SourceShipping } from '../../connectors/contract.ts';
import type { Order, PublicOrder } from './order.ts';

/** What others than the marketplace know of an order. */
export interface Annotation {
  readonly shipping: SourceShipping | null;
}

/** An annotation with what the marketplace itself said, so that neither is ever taken for the other. */
interface Kept extends Annotation {
  readonly own: SourceShipping | null;
}

/** The order as its source tells it, whatever was added to it. */
export function ownShipping(stored: PublicOrder, annotation: string | null): SourceShipping | null {
  return annotation === null ? stored.shipping : readKept(annotation).own;
}

/** Fills in where the marketplace is silent; what it said stands. */
export function withAnnotation<Of extends Pick<Order, 'shipping'>>(
  order: Of,
  annotation: Annotation | null,
): Of {
  const given = annotation?.shipping;
  if (!given) return order;
  const own = order.shipping;
  const isOther =
    own?.trackingNumber != null &&
    given.trackingNumber !== null &&
    own.trackingNumber !== given.trackingNumber;
  // Of another parcel nothing can be told about this one.
  if (isOther) return order;
  const shipping = {
    carrier: own?.carrier ?? given.carrier,
    trackingNumber: own?.trackingNumber ?? given.trackingNumber,
    method: own?.method ?? given.method,
    status: own?.status ?? given.status,
    shippedAt: own?.shippedAt ?? given.shippedAt,
    deliveredAt: own?.deliveredAt ?? given.deliveredAt,
  };
  return { ...order, shipping };
}

export function renderAnnotation(annotation: Annotation | null, own: SourceShipping | null): string | null {
  return annotation?.shipping ? JSON.stringify({ shipping: annotation.shipping, own }) : null;
}

export function readAnnotation(text: string | null): Annotation | null {
  return text === null ? null : { shipping: readKept(text).shipping };
}

function readKept(text: string): Kept {
  const { shipping, own } = JSON.parse(text) as Record<keyof Kept, StoredShipping | null>;
  return { shipping: shipping && timesOf(shipping), own: own && timesOf(own) };
}

interface StoredShipping extends Omit<SourceShipping, 'shippedAt' | 'deliveredAt'> {
  readonly shippedAt: string | null;
  readonly deliveredAt: string | null;
}

function timesOf(stored: StoredShipping): SourceShipping {
  const instant = (text: string | null) => (text === null ? null : Temporal.Instant.from(text));
  return { ...stored, shippedAt: instant(stored.shippedAt), deliveredAt: instant(stored.deliveredAt) };
}
