import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

const INSERT = statement<object>(
  'receipts.insert',
  'insert into receipts (organization_id, id, connection_id, source, received_at, body) values ($1, $2, $3, $4, $5, $6)',
);

const COUNT = statement<object>(
  'receipts.count',
  `insert into receipts (organization_id, id, connection_id, source, received_at, body, processed_at, outcome, pushes)
   values ($1, $2, $3, $4, $5, '', $5, 'merged', $6)
   on conflict (organization_id, id) do update
     set pushes = receipts.pushes + excluded.pushes, received_at = excluded.received_at,
         processed_at = excluded.processed_at`,
);

const BY_SLOT = statement<{ at: Instant; count: number }>(
  'receipts.by-slot',
  `select date_bin(make_interval(mins => $3::int), received_at, $2::timestamptz) as at,
          sum(pushes)::int4 as count
     from receipts
    where organization_id = $1 and received_at >= $2::timestamptz and received_at < $4::timestamptz
    group by 1`,
);

const KEEP_DAYS = 30;

/** Unprocessed ones too: their jobs gave up within hours. */
export const RETENTIONS = [
  retention('receipts', KEEP_DAYS, removeBefore('receipts.remove', 'receipts', 'received_at')),
];

interface ReceiptValues {
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

export async function count(
  scope: WriteScope,
  receipt: ReceiptValues,
  pushes: number,
): Promise<void> {
  const { id, connectionId, source, receivedAt } = receipt;
  await scope.prepared(COUNT, [id, connectionId, source, receivedAt.toString(), pushes]);
}

export async function settle(
  scope: WriteScope,
  id: string,
  outcome: string,
  at: Instant,
): Promise<void> {
  await scope.rows(
    scope.update('receipts').set({ processed_at: at.toString(), outcome }).where('id', '=', id),
  );
}

export async function blank(scope: WriteScope, connectionId: string): Promise<void> {
  await scope.rows(
    scope.update('receipts').set({ body: '' }).where('connection_id', '=', connectionId),
  );
}

/** How many webhooks arrived, in slots of so many minutes; slots without one are left out. */
export function webhooksBySlot(
  scope: ReadScope,
  { from, to, minutes }: { from: Instant; to: Instant; minutes: number },
): Promise<{ at: Instant; count: number }[]> {
  return scope.prepared(BY_SLOT, [from.toString(), minutes, to.toString()]);
}
