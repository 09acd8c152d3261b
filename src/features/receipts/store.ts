import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const INSERT = statement<object>(
  'receipts.insert',
  'insert into receipts (organization_id, id, connection_id, source, received_at, body) values ($1, $2, $3, $4, $5, $6)',
);

const REMOVE = statement<object>(
  'receipts.remove',
  'delete from receipts where received_at < $1 and processed_at is not null',
);

export interface ReceiptValues {
  readonly id: string;
  readonly connectionId: string;
  readonly source: string;
  readonly body: string;
  readonly receivedAt: Instant;
}

export async function insert(scope: WriteScope, receipt: ReceiptValues): Promise<void> {
  await scope.prepared(INSERT, [
    receipt.id,
    receipt.connectionId,
    receipt.source,
    receipt.receivedAt.toString(),
    receipt.body,
  ]);
}

export async function settle(scope: WriteScope, id: string, outcome: string, at: Instant): Promise<void> {
  await scope.rows(
    scope.update('receipts').set({ processed_at: at.toString(), outcome }).where('id', '=', id),
  );
}

export async function blank(scope: WriteScope, connectionId: string): Promise<void> {
  await scope.rows(scope.update('receipts').set({ body: '' }).where('connection_id', '=', connectionId));
}

export async function removeBefore(handle: WriteHandle, before: Instant): Promise<void> {
  await handle.raw(REMOVE, [before.toString()]);
}
