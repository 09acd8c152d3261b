import { rawNumber } from '../../platform/json.ts';
import { formatMillis, formatMillisOrNull } from '../../platform/time.ts';
import type { Action } from './actor.ts';
import type { Attempt } from './guides/attempt-types.ts';
import { type Batch, summaryOf } from './guides/batches.ts';
import type { Line } from './lines/line.ts';

/** A line, for programs. */
export function presentLine(line: Line, ownFleet: boolean) {
  return {
    line_id: line.id,
    state: line.state,
    marketplace: line.marketplace,
    account_id: line.accountId,
    pack_id: line.packId,
    orders: line.orders,
    packages: line.packages,
    own_fleet: ownFleet,
    destination: line.destination,
    carrier: line.carrier,
    tracking_number: line.trackingNumber,
    guide_number: line.guideNumber,
    tracking_source: line.trackingSource,
    carrier_shipment_id: line.carrierShipmentId,
    staged_at: formatMillis(line.stagedAt),
    in_transit_at: formatMillisOrNull(line.inTransitAt),
    transferred_at: formatMillisOrNull(line.transferredAt),
  };
}

/** The result of a batch, one entry per line in the requested order. */
export function presentBatch(batch: Batch) {
  return {
    job_id: batch.id,
    state: batch.isFinished ? 'done' : 'running',
    results: batch.lines.map(({ lineId, outcome, errorCode, errorMessage, attempt }) => ({
      line_id: lineId,
      outcome,
      attempt_id: attempt?.id ?? null,
      ...guideOf(attempt),
      error: errorCode === null ? null : { code: errorCode, message: errorMessage },
    })),
    summary: summaryOf(batch),
  };
}

/** An attempt in its line's record, without the labels. */
export function presentAttempt(attempt: Attempt) {
  const { zpl, pdf, ...guide } = guideOf(attempt);
  return {
    attempt_id: attempt.id,
    reference: attempt.reference,
    state: attempt.state,
    carrier: attempt.carrier,
    ...guide,
    has_zpl: zpl !== null,
    has_pdf: pdf !== null,
    error:
      attempt.errorCode === null
        ? null
        : { code: attempt.errorCode, message: attempt.errorMessage },
    queued_at: formatMillis(attempt.queuedAt),
    sent_at: formatMillisOrNull(attempt.sentAt),
    settled_at: formatMillisOrNull(attempt.settledAt),
    cancelled_at: formatMillisOrNull(attempt.cancelledAt),
  };
}

/** What a guide cost and what is left in the account, taken out for roles that do not see money. */
export function withoutMoney<Guide extends PresentedMoney>({
  amount: _amount,
  available_balance: _balance,
  currency: _currency,
  ...guide
}: Guide): Omit<Guide, keyof PresentedMoney> {
  return guide;
}

interface PresentedMoney {
  readonly amount: unknown;
  readonly available_balance: unknown;
  readonly currency: unknown;
}

/** An action and its actor, in a line's record. */
export function presentAction({ actor, action, at, details }: Action) {
  return { at: formatMillis(at), action, actor, details };
}

function guideOf(attempt: Attempt | null) {
  return {
    tracking: attempt?.trackingNumber ?? null,
    guide: attempt?.guideNumber ?? null,
    amount: number(attempt?.amount),
    available_balance: number(attempt?.availableBalance),
    currency: attempt?.currency ?? null,
    zpl: attempt?.zpl ?? null,
    pdf: attempt?.pdfBase64 ?? null,
  };
}

function number(value: string | null | undefined) {
  return value === null || value === undefined ? null : rawNumber(value);
}
