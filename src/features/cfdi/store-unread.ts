import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { IS_BACKFILL } from '../connections/index.ts';
import { openXml, type StoredXml } from './invoice-xml.ts';

interface DocumentKey {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

/** A document as its marketplace gave it last. */
export interface DocumentVersion extends DocumentKey {
  readonly xml_digest: Buffer | null;
}

interface UnreadDocument extends DocumentVersion {
  /** Of the first import of its account. */
  readonly isBackfill: boolean;
  /** Null = it cannot be decrypted. */
  readonly xml: Buffer | null;
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

const IS_UNREAD = '(xml is not null or xml_box is not null) and read_at is null';
const ORGANIZATIONS = search<{ organization_id: string }>(
  'cfdi.organizations-to-read',
  () => `select distinct organization_id from invoice_documents where ${IS_UNREAD}`,
);
/** Locked, since a marketplace may give another version while one is read. */
const UNREAD = statement<DocumentVersion & StoredXml & { readonly is_backfill: boolean }>(
  'cfdi.unread',
  `select marketplace, account_id, id, xml, xml_box, xml_digest,
       ${IS_BACKFILL('connection_id', 'recorded_at', ['invoices'])} as is_backfill
     from invoice_documents
    where organization_id = $1 and ${IS_UNREAD}
    order by marketplace, account_id, id limit $2::int for update skip locked`,
);
const SETTLE = statement<object>(
  'cfdi.settle-read',
  `update invoice_documents
      set read_at = $5::timestamptz, read_failure = null, uuid = $6, type = $7, issuer_rfc = $8,
          receiver_rfc = $9, total = $10::numeric, currency = $11, issued_at = $12::timestamptz
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
);
/** Another version of it is still to be read. */
const REFUSE = statement<object>(
  'cfdi.refuse-read',
  `update invoice_documents set read_at = $5::timestamptz, read_failure = $6
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4
      and xml_digest is not distinct from $7::bytea`,
);
/** Without its digest the same XML counts as another one when it is given again. */
const LOSE = statement<object>(
  'cfdi.lose-xml',
  `update invoice_documents set read_at = $5::timestamptz, read_failure = $6, xml_digest = null
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
);

export async function organizations(handle: Handle): Promise<string[]> {
  return (await handle.search(ORGANIZATIONS, [])).map(({ organization_id }) => organization_id);
}

export async function unread(scope: WriteScope, limit: number): Promise<UnreadDocument[]> {
  const rows = await scope.prepared(UNREAD, [limit]);
  const opened = rows.map(async ({ marketplace, account_id, id, xml_digest, ...stored }) => ({
    marketplace,
    account_id,
    id,
    xml_digest,
    isBackfill: stored.is_backfill,
    xml: await openXml(scope, [marketplace, account_id, id], stored),
  }));
  return Promise.all(opened);
}

export async function settle(scope: WriteScope, key: DocumentKey, facts: Facts): Promise<void> {
  const { uuid, type, issuer_rfc, receiver_rfc, total, currency, issued_at } = facts;
  const values = [uuid, type, issuer_rfc, receiver_rfc, total, currency, issued_at];
  await scope.prepared(SETTLE, [...keyValuesOf(scope, key), ...values]);
}

export async function refuse(
  scope: WriteScope,
  version: DocumentVersion,
  reason: string,
): Promise<void> {
  await scope.prepared(REFUSE, [...keyValuesOf(scope, version), reason, version.xml_digest]);
}

/** What cannot be decrypted is read when its marketplace gives it again. */
export async function lose(scope: WriteScope, key: DocumentKey, reason: string): Promise<void> {
  await scope.prepared(LOSE, [...keyValuesOf(scope, key), reason]);
}

function keyValuesOf({ clock }: WriteScope, { marketplace, account_id, id }: DocumentKey) {
  return [marketplace, account_id, id, clock.now().toString()];
}
