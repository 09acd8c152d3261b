import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';

interface DocumentKey {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

interface UnreadRow extends DocumentKey {
  readonly xml: string;
}

/** What the document itself says. */
export interface Facts {
  readonly uuid: string;
  readonly type: string;
  readonly issuer_rfc: string;
  readonly receiver_rfc: string | null;
  readonly total: string | null;
  readonly currency: string | null;
  readonly issued_at: string;
}

const ORGANIZATIONS = statement<{ organization_id: string }>(
  'cfdi.organizations-to-read',
  `select distinct organization_id from invoice_documents
    where xml is not null and read_at is null`,
);
const UNREAD = statement<UnreadRow>(
  'cfdi.unread',
  `select marketplace, account_id, id, xml from invoice_documents
    where organization_id = $1 and xml is not null and read_at is null
    order by marketplace, account_id, id limit $2::int`,
);
const SETTLE = statement<object>(
  'cfdi.settle-read',
  `update invoice_documents
      set read_at = $5::timestamptz, read_failure = null, uuid = $6, type = $7, issuer_rfc = $8,
          receiver_rfc = $9, total = $10::numeric, currency = $11, issued_at = $12::timestamptz
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
);
const REFUSE = statement<object>(
  'cfdi.refuse-read',
  `update invoice_documents set read_at = $5::timestamptz, read_failure = $6
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
);

export async function organizations(handle: Handle): Promise<string[]> {
  return (await handle.raw(ORGANIZATIONS, [])).map(({ organization_id }) => organization_id);
}

export function unread(scope: ReadScope, limit: number): Promise<UnreadRow[]> {
  return scope.prepared(UNREAD, [limit]);
}

export async function settle(scope: WriteScope, key: DocumentKey, facts: Facts): Promise<void> {
  const { uuid, type, issuer_rfc, receiver_rfc, total, currency, issued_at } = facts;
  const values = [uuid, type, issuer_rfc, receiver_rfc, total, currency, issued_at];
  await scope.prepared(SETTLE, [...placeOf(scope, key), ...values]);
}

export async function refuse(scope: WriteScope, key: DocumentKey, reason: string): Promise<void> {
  await scope.prepared(REFUSE, [...placeOf(scope, key), reason]);
}

function placeOf({ clock }: WriteScope, { marketplace, account_id, id }: DocumentKey) {
  return [marketplace, account_id, id, clock.now().toString()];
}
