import type { GuideAnswer } from '../../../carriers/contract.ts';
import type { WriteScope } from '../../../platform/db/database.ts';
import { rawNumber } from '../../../platform/json.ts';
import { nameGuide } from '../../shipments/index.ts';
import { emit } from '../../webhooks-out/index.ts';
import { type Line, wanted } from '../lines/line.ts';
import { numberLine } from '../lines/number-line.ts';
import { warnOfUnwanted } from '../lines/unwanted.ts';
import type { Attempt, Fault } from './attempt-types.ts';
import type * as attemptStore from './store-guide-attempts.ts';

export type Guide = Omit<Extract<GuideAnswer, { ok: true }>, 'ok'>;

export function guideValues({
  tracking,
  guide,
  amount,
  availableBalance,
}: Guide): attemptStore.AttemptValues {
  return {
    tracking_number: tracking,
    guide_number: guide,
    amount,
    available_balance: availableBalance,
  };
}

/** The shipment of the guide is then known to take the orders that the line still has. */
export async function nameGuideOf(
  scope: WriteScope,
  { marketplace, accountId, orders }: Line,
  reference: string,
): Promise<void> {
  const named = wanted(orders).map(({ id }) => ({ marketplace, accountId, id }));
  await nameGuide(scope, reference, named);
}

export async function setGuideNumber(
  scope: WriteScope,
  line: Line,
  carrier: string,
  guide: Guide,
): Promise<void> {
  const numbered = await numberLine(scope, line, {
    carrier,
    trackingNumber: guide.tracking,
    guideNumber: guide.guide,
    trackingSource: 'guide',
  });
  // Its order was cancelled during the request to the carrier.
  if (wanted(line.orders).length === 0) await warnOfUnwanted(scope, numbered);
}

export async function emitGuideEvent(
  scope: WriteScope,
  type: 'guide.generated' | 'guide.failed',
  line: Line,
  attempt: Attempt,
  { guide, fault }: { guide?: Guide; fault?: Fault },
): Promise<void> {
  const amount = (value: string | null | undefined) => (value ? rawNumber(value) : null);
  const data = JSON.stringify({
    line_id: line.id,
    attempt_id: attempt.id,
    marketplace: line.marketplace,
    account_id: line.accountId,
    order_ids: line.orders.map(({ id }) => id),
    pack_id: line.packId,
    carrier: attempt.carrier,
    tracking: guide?.tracking ?? null,
    guide: guide?.guide ?? null,
    amount: amount(guide?.amount),
    currency: attempt.currency,
    available_balance: amount(guide?.availableBalance),
    error: fault ?? null,
  });
  await emit(scope, [{ type, data }]);
}
