import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './order.ts';
import { type BundleOfAccount, COLUMNS, OF_ACCOUNT, type Row, read } from './store-documents.ts';

const UNSEALED_ORGANIZATIONS = search<{ organization_id: string }>(
  'orders.organizations-with-unsealed-documents',
  () => 'select distinct organization_id from order_documents where not is_sealed',
);

/** Organisations with documents that a former version stored. */
export async function unsealedOrganizations(handle: Handle): Promise<string[]> {
  return (await handle.search(UNSEALED_ORGANIZATIONS, [])).map(
    ({ organization_id }) => organization_id,
  );
}

const LOCK_UNSEALED = statement<Row<BundleOfAccount>>(
  'orders.lock-unsealed-documents',
  `select organization_id, marketplace, account_id, ${COLUMNS} from order_documents
    where organization_id = $1 and not is_sealed
    order by organization_id, marketplace, account_id, recorded_at limit $2::int for update skip locked`,
);

export async function lockUnsealed(scope: WriteScope, limit: number): Promise<BundleOfAccount[]> {
  return (await scope.prepared(LOCK_UNSEALED, [limit])).map(read);
}

const SEAL = statement<object>(
  'orders.seal-documents',
  `update order_documents set documents = $5::bytea, is_sealed = true
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz`,
);

/** Replaces a locked bundle's documents with these. */
export async function seal(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
  documents: Buffer,
): Promise<void> {
  await scope.prepared(SEAL, [marketplace, accountId, formatMicros(recordedAt), documents]);
}
