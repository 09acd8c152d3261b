import type { UnpricedLine } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';
import { abbreviate } from './buyer-name.ts';
import {
  type Annotation,
  type Known,
  knownAfter,
  ownFields,
  readKnown,
  withKnown,
  writeKnown,
} from './known.ts';
import { figuresOf } from './money-check.ts';
import {
  fingerprintOf,
  isRefunded,
  type Order,
  type PublicOrder,
  type RecordedOrder,
} from './order.ts';
import { REPRESENTATION } from './public/fields.ts';
import { readDetail, renderDetail } from './public/render.ts';
import type { StaleVersion, StoredVersion } from './store-versions.ts';
import { filled, gapOf, keptFields } from './withheld.ts';

/** An order ready to be compared with the stored one, and to be stored. */
export interface Candidate {
  readonly order: RecordedOrder;
  readonly annotation: string | null;
  readonly detailJson: string;
  readonly fingerprint: string;
  /**
   * The stamp of the change with which its source told it; `now` = of the one to come, null = as it
   * is stored.
   */
  readonly toldAt: Instant | 'now' | null;
  /** Which version of the public fields its content is of. */
  readonly representation: number;
}

type Rendered = Omit<Candidate, 'toldAt' | 'representation'>;

/** A candidate with the order as it came. */
export interface FreshCandidate extends Candidate {
  readonly source: Order;
}

/** What is kept of an order whose buyer was forgotten. */
export const NO_BUYER = { buyerName: null, raw: null };

/**
 * The order as it will be shown: what the source could not give this time is filled in from what is
 * stored.
 */
export function prepare(source: Order, stored: StoredVersion | null): FreshCandidate {
  const candidate = candidateOf(source, stored, { isSeen: true });
  return { ...candidate, source, toldAt: 'now', representation: REPRESENTATION };
}

/** The stored version, completed by an older one. */
export function fill(
  older: Order,
  stored: StoredVersion,
  gap: readonly UnpricedLine[],
): FreshCandidate {
  const whole = filled(ownOrder(stored), gap, older);
  return {
    ...ofSameVersion(whole, stored, { ...readKnown(stored.annotation), gap: null }),
    source: older,
  };
}

/**
 * The stored version as its document reads today. No status is seen to be reached by that: the
 * order had it before.
 * @param read the order of that document
 */
export function reread(read: Order, stored: StaleVersion): Candidate {
  const source = { ...read, changedAt: stored.changed_at, fetchedAt: stored.fetched_at, raw: null };
  const candidate = candidateOf(source, stored, { isSeen: false });
  return { ...candidate, toldAt: stored.told_at, representation: REPRESENTATION };
}

/** The stored version, rendered by today's fields: where there is no document to read it from. */
export function asStored(stored: StaleVersion): Candidate {
  const own = ownOrder(stored);
  const candidate = ofSameVersion(own, stored, readKnown(stored.annotation));
  return { ...candidate, toldAt: stored.told_at, representation: REPRESENTATION };
}

/** The stored version with what others than its marketplace know of it; null = nothing any more. */
export function annotated(stored: StoredVersion, annotation: Annotation | null): Candidate {
  const known = { ...readKnown(stored.annotation), shipping: annotation?.shipping ?? null };
  return ofSameVersion(ownOrder(stored), stored, known);
}

/** The stored version without the buyer's name. */
export function withoutBuyer(stored: StoredVersion): Candidate {
  const own = { ...ownOrder(stored), buyerName: null };
  return ofSameVersion(own, stored, readKnown(stored.annotation));
}

/** @param isSeen whether the order came to its status after it was stored with another one */
function candidateOf(
  source: Order,
  stored: StoredVersion | null,
  { isSeen }: { isSeen: boolean },
): Rendered {
  const whole = withStored(source, stored);
  const gap = gapOf(source, whole, stored ? readKnown(stored.annotation).gap : undefined);
  const before = stored && { ...stored, status: isSeen ? stored.status : whole.status };
  const known = knownAfter(whole, before, gap);
  return rendered(publicOrder(withKnown(whole, known)), writeKnown(known, whole));
}

/**
 * Another content of the version that is stored. Its document was not read for it, so that it stays
 * of the representation that it was read by.
 */
function ofSameVersion(whole: PublicOrder, stored: StoredVersion, known: Known): Candidate {
  const order = {
    ...withKnown({ ...whole, ...figuresOf(whole) }, known),
    changedAt: stored.changed_at,
    fetchedAt: stored.fetched_at,
    raw: null,
  };
  const { representation } = stored;
  return { ...rendered(order, writeKnown(known, whole)), toldAt: null, representation };
}

function rendered(order: RecordedOrder, annotation: string | null): Rendered {
  const detailJson = renderDetail(order);
  return { order, annotation, detailJson, fingerprint: fingerprintOf(detailJson) };
}

/** What the source said when it was stored, whatever was filled in. */
function ownOrder(stored: StoredVersion): PublicOrder {
  const before = readDetail(stored.detail_json as string);
  return { ...before, ...ownFields(before, stored.annotation) };
}

function withStored(source: Order, stored: StoredVersion | null): Order {
  const kept = stored?.detail_json && keptFields(source, ownOrder(stored));
  const forgotten = stored?.is_buyer_forgotten ? NO_BUYER : {};
  const whole = { ...source, ...(kept || {}), ...forgotten };
  // A source that could not tell the refunds could not tell that they cover the order either.
  const status =
    source.keep.includes('refundedTotal') && isRefunded(whole) ? 'refunded' : whole.status;
  return { ...whole, status };
}

function publicOrder({ keep: _kept, unpriced: _hidden, ...order }: Order): RecordedOrder {
  const told = {
    ...order,
    buyerName: abbreviate(order.buyerName),
    cfdiStatus: null,
    cfdiUuid: null,
  };
  return { ...told, ...figuresOf(told) };
}
