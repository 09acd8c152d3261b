import type { WriteScope } from '../../platform/db/database.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import type { DirectedDocument } from './relate-cfdis.ts';
import { accountsOf } from './store-links.ts';
import { summariesOf } from './store-records.ts';
import { type CfdiSummary, countedTotal, writeSummary } from './summary.ts';

/** Notifies customers of invoices, credit notes and payments that the organisation issued. */
export async function announceIssued(
  scope: WriteScope,
  documents: readonly DirectedDocument[],
): Promise<void> {
  const uuids = documents.flatMap(({ record, direction }) =>
    record.kind === 'cfdi' && direction === 'issued' ? [record.uuid] : [],
  );
  if (uuids.length === 0) return;
  await announce(scope, await summariesOf(scope, uuids), () => ({ type: 'cfdi.issued' }));
}

/** Notifies customers which of these are cancelled. */
export async function announceCancelled(
  scope: WriteScope,
  uuids: readonly string[],
): Promise<void> {
  const found = await summariesOf(scope, uuids);
  const cancelled = found.filter(({ status }) => status === 'cancelado');
  await announce(scope, cancelled, (one) => ({
    type: 'cfdi.cancelled',
    changed: wasCounted(one) ? ['status', 'counted_total'] : ['status'],
  }));
}

/** A summary lists some of its orders; filters see the accounts of all of them. */
async function announce(
  scope: WriteScope,
  cfdis: readonly CfdiSummary[],
  headOf: (one: CfdiSummary) => Pick<OutgoingEvent, 'type' | 'changed'>,
): Promise<void> {
  const uuids = cfdis.map(({ uuid }) => uuid);
  const accounts = Map.groupBy(await accountsOf(scope, uuids), ({ uuid }) => uuid);
  await emit(
    scope,
    cfdis.map((one) => ({
      ...headOf(one),
      data: writeSummary(one, 'event'),
      accounts: accounts.get(one.uuid) ?? [],
    })),
  );
}

/** Whether a cancelled one was a sale, so that its cancellation takes its total from the sales. */
function wasCounted(cancelled: CfdiSummary): boolean {
  return countedTotal({ ...cancelled, status: 'vigente' }) !== null;
}
