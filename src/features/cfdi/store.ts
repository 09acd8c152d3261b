import type { SourceInvoice } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { AccountSource } from '../connections/index.ts';
import type { OrderIdentity } from '../orders/index.ts';
import { openXml, type StoredXml, sealXml } from './invoice-xml.ts';

interface DocumentRow extends StoredXml {
  readonly id: string;
  readonly file_name: string | null;
  readonly uuid: string | null;
  readonly url: string | null;
  readonly issued_at: Instant | null;
}

const DOCUMENTS = bulk('invoice_documents', [
  'id',
  'file_name',
  'uuid',
  'xml_box',
  'xml_digest',
  'xml_bytes',
  'url',
  'issued_at',
]);
const LINKS = bulk('invoice_orders', ['document_id', 'order_id']);

/** XMLs are compared by their digests. One in clear has none, and is read once more when it is given again. */
const UPSERT = DOCUMENTS.statement<{ id: string }>(
  'cfdi.upsert',
  (given) => `insert into invoice_documents as known
     (organization_id, marketplace, account_id, connection_id, recorded_at, first_seen_at,
      ${DOCUMENTS.names})
   select $1, $2::text, $3::text, $4::uuid, $5::timestamptz, $5::timestamptz, * from ${given}
   on conflict (organization_id, marketplace, account_id, id) do update
     set connection_id = excluded.connection_id, recorded_at = excluded.recorded_at,
         file_name = coalesce(excluded.file_name, known.file_name), uuid = coalesce(excluded.uuid, known.uuid),
         xml = case when excluded.xml_box is null then known.xml end,
         xml_box = coalesce(excluded.xml_box, known.xml_box),
         xml_digest = coalesce(excluded.xml_digest, known.xml_digest),
         xml_bytes = coalesce(excluded.xml_bytes, known.xml_bytes),
         url = coalesce(excluded.url, known.url),
         issued_at = case when known.read_at is null then coalesce(excluded.issued_at, known.issued_at)
                          else known.issued_at end,
         read_at = case when coalesce(excluded.xml_digest, known.xml_digest) is distinct from known.xml_digest
                        then null else known.read_at end
     where (coalesce(excluded.file_name, known.file_name), coalesce(excluded.uuid, known.uuid),
            coalesce(excluded.xml_digest, known.xml_digest), coalesce(excluded.url, known.url),
            case when known.read_at is null then coalesce(excluded.issued_at, known.issued_at)
                 else known.issued_at end)
       is distinct from (known.file_name, known.uuid, known.xml_digest, known.url, known.issued_at)
   returning id`,
);

const LINK = LINKS.statement<{ document_id: string }>(
  'cfdi.link',
  (given) => `insert into invoice_orders (organization_id, marketplace, account_id, ${LINKS.names})
   select distinct $1::uuid, $2::text, $3::text, * from ${given}
   on conflict do nothing
   returning document_id`,
);

const FOLIOS = statement<{ uuid: string }>(
  'cfdi.folios',
  `select distinct uuid from invoice_documents
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = any($4::text[])
      and uuid is not null`,
);

const OF_ORDER = statement<DocumentRow>(
  'cfdi.of-order',
  `select d.id, d.file_name, d.uuid, d.xml, d.xml_box, d.url, d.issued_at
     from invoice_orders o
     join invoice_documents d on d.organization_id = o.organization_id and d.marketplace = o.marketplace
      and d.account_id = o.account_id and d.id = o.document_id
    where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3 and o.order_id = $4
    order by d.issued_at, d.id`,
);

/** @returns the ids of those that are new or different */
export async function upsert(
  scope: WriteScope,
  source: AccountSource,
  invoices: readonly SourceInvoice[],
): Promise<string[]> {
  const { marketplace, accountId, connectionId } = source;
  const vault = await scope.vault();
  const sealed = invoices.map(async (invoice) => ({
    id: invoice.id,
    file_name: invoice.fileName,
    uuid: invoice.uuid,
    ...(await sealXml(vault, [marketplace, accountId, invoice.id], invoice.xml)),
    url: invoice.url,
    issued_at: invoice.issuedAt,
  }));
  const documents = await Promise.all(sealed);
  const given = [marketplace, accountId, connectionId, scope.clock.now().toString()];
  const rows = await scope.prepared(UPSERT, UPSERT.values(given, documents));
  return rows.map(({ id }) => id);
}

/** @returns the ids of documents with a new order */
export async function link(
  scope: WriteScope,
  source: AccountSource,
  links: readonly { id: string; orderId: string }[],
): Promise<string[]> {
  const given = links.map(({ id, orderId }) => ({ document_id: id, order_id: orderId }));
  const account = [source.marketplace, source.accountId];
  const rows = await scope.prepared(LINK, LINK.values(account, given));
  return rows.map(({ document_id }) => document_id);
}

export async function foliosOf(
  scope: WriteScope,
  { marketplace, accountId }: AccountSource,
  ids: readonly string[],
): Promise<string[]> {
  return (await scope.prepared(FOLIOS, [marketplace, accountId, ids])).map(({ uuid }) => uuid);
}

export async function ofOrder(
  scope: ReadScope,
  { marketplace, accountId, id }: OrderIdentity,
): Promise<Omit<SourceInvoice, 'orderIds'>[]> {
  const rows = await scope.prepared(OF_ORDER, [marketplace, accountId, id]);
  const opened = rows.map(async (row) => ({
    id: row.id,
    fileName: row.file_name,
    uuid: row.uuid,
    xml: await openXml(scope, [marketplace, accountId, row.id], row),
    url: row.url,
    issuedAt: row.issued_at,
  }));
  return Promise.all(opened);
}
