import type { UnpricedLine } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';
import { NO_BUYER, withoutBuyer } from './buyer.ts';
import { abbreviate } from './buyer-name.ts';
import {
  type Annotation,
  type Known,
  knownAfter,
  moneyOfLedger,
  ownFields,
  readKnown,
  withKnown,
  writeKnown,
} from './known.ts';
import { keptFields, stillUnpriced, withOlderPrices } from './missing-prices.ts';
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
import { refundsWithTimes } from './refund-times.ts';
import type { StaleVersion } from './store-stale-versions.ts';
import type { StoredVersion } from './store-versions.ts';

/** An order ready to be compared with the stored one, and to be stored. */
export interface Candidate {
  readonly order: RecordedOrder;
  readonly annotation: string | null;
  readonly detailJson: string;
  readonly fingerprint: string;
  /**
   * The stamp of the change in which its source reported it; `now` = of the coming change, null =
   * as stored.
   */
  readonly toldAt: Instant | 'now' | null;
  /** The representation that rendered its content. */
  readonly representation: number;
}

type Rendered = Omit<Candidate, 'toldAt' | 'representation'>;

/** A candidate with the order as received. */
export interface FreshCandidate extends Candidate {
  readonly source: Order;
}

/**
 * The order to be shown: fields that the source could not give this time are filled in from the
 * stored order.
 */
export function freshCandidateOf(source: Order, stored: StoredVersion | null): FreshCandidate {
  const candidate = candidateOf(source, stored, { isSeen: true });
  return { ...candidate, source, toldAt: 'now', representation: REPRESENTATION };
}

/** The stored version, completed by an older one. */
export function completeWithOlder(
  stored: StoredVersion,
  older: Order,
  missing: readonly UnpricedLine[],
): FreshCandidate {
  const whole = withOlderPrices(ownOrder(stored), older, missing);
  return {
    ...ofSameVersion(whole, stored, { ...readKnown(stored.annotation), gap: null }),
    source: older,
  };
}

/**
 * The stored version, read from its document by the current code. It sets no time for a status: the
 * order had the status before.
 * @param read the order of that document
 */
export function reread(read: Order, stored: StaleVersion): Candidate {
  const source = { ...read, changedAt: stored.changed_at, fetchedAt: stored.fetched_at, raw: null };
  const candidate = candidateOf(source, stored, { isSeen: false });
  return { ...candidate, toldAt: stored.told_at, representation: REPRESENTATION };
}

/** The stored version, rendered with the current fields; for orders without a document. */
export function asStored(stored: StaleVersion): Candidate {
  const own = ownOrder(stored);
  const candidate = ofSameVersion(own, stored, readKnown(stored.annotation));
  return { ...candidate, toldAt: stored.told_at, representation: REPRESENTATION };
}

/** The stored version with other values of some annotations; null = none. */
export function annotated(stored: StoredVersion, annotation: Partial<Annotation>): Candidate {
  const known = { ...readKnown(stored.annotation), ...annotation };
  return ofSameVersion(ownOrder(stored), stored, known);
}

/** The stored version without its buyer. */
export function buyerForgotten(stored: StoredVersion): Candidate {
  return ofSameVersion(withoutBuyer(ownOrder(stored)), stored, readKnown(stored.annotation));
}

/** @param isSeen whether the order reached its status after it was stored with another one */
function candidateOf(
  source: Order,
  stored: StoredVersion | null,
  { isSeen }: { isSeen: boolean },
): Rendered {
  const whole = withStored(source, stored);
  const gap = stillUnpriced(source, whole, stored ? readKnown(stored.annotation).gap : undefined);
  const before = stored && { ...stored, status: isSeen ? stored.status : whole.status };
  const known = knownAfter(whole, before, gap);
  return rendered(publicOrder(withKnown(whole, known), known), writeKnown(known, whole));
}

/**
 * Another content of the stored version. Its document was not read for it, so it keeps the
 * representation that read it.
 */
function ofSameVersion(whole: PublicOrder, stored: StoredVersion, known: Known): Candidate {
  const order = {
    ...withKnown({ ...whole, ...figuresOf(whole) }, known),
    ...cfdiOf(known),
    ...moneyOfLedger(whole, known),
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

/** The source's own fields when it was stored, without filled-in ones. */
function ownOrder(stored: StoredVersion): PublicOrder {
  const before = readDetail(stored.detail_json as string);
  return { ...before, ...ownFields(before, stored.annotation) };
}

function withStored(source: Order, stored: StoredVersion | null): Order {
  const own = stored?.detail_json ? ownOrder(stored) : null;
  const kept = own && keptFields(source, own);
  const forgotten = stored?.is_buyer_forgotten ? NO_BUYER : {};
  const filled = { ...source, ...kept, ...forgotten };
  const whole = { ...filled, refunds: refundsWithTimes(filled, own?.refunds ?? []) };
  // A source that could not give the refunds could not report that they cover the order either.
  const status =
    source.keep.includes('refundedTotal') && isRefunded(whole) ? 'refunded' : whole.status;
  return { ...whole, status };
}

function publicOrder(
  { keep: _kept, unpriced: _hidden, ...order }: Order,
  known: Known,
): RecordedOrder {
  const reported = {
    ...order,
    buyerName: abbreviate(order.buyerName),
    ...cfdiOf(known),
  };
  return { ...reported, ...figuresOf(reported), ...moneyOfLedger(reported, known) };
}

function cfdiOf({ cfdi }: Known): Pick<PublicOrder, 'cfdiStatus' | 'cfdiUuid'> {
  return { cfdiStatus: cfdi?.status ?? null, cfdiUuid: cfdi?.uuid ?? null };
}
