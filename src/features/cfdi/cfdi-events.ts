import type { WriteScope } from '../../platform/db/database.ts';
import { emit } from '../webhooks-out/index.ts';
import { summariesOf } from './store-records.ts';
import { type CfdiSummary, countedTotal, writeSummary } from './summary.ts';

/** Notifies customers of invoices, credit notes and payments that the organisation issued. */
export async function announceIssued(scope: WriteScope, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  const found = await summariesOf(scope, uuids);
  const issued = found.filter(
    ({ direction, type }) => direction === 'issued' && type !== 'retencion',
  );
  await emit(
    scope,
    issued.map((one) => ({ type: 'cfdi.issued' as const, data: writeSummary(one, 'event') })),
  );
}

/** Notifies customers which of these are cancelled. */
export async function announceCancelled(
  scope: WriteScope,
  uuids: readonly string[],
): Promise<void> {
  const found = await summariesOf(scope, uuids);
  const cancelled = found.filter(({ status }) => status === 'cancelado');
  await emit(
    scope,
    cancelled.map((one) => ({
      type: 'cfdi.cancelled' as const,
      changed: wasCounted(one) ? ['status', 'counted_total'] : ['status'],
      data: writeSummary(one, 'event'),
    })),
  );
}

/** Whether a cancelled one was a sale, so that its cancellation takes its total from the sales. */
function wasCounted(cancelled: CfdiSummary): boolean {
  return countedTotal({ ...cancelled, status: 'vigente' }) !== null;
}
