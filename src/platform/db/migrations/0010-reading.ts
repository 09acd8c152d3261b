/**
 * What lists of stock and of invoice documents are walked by; documents get the columns that
 * reading their XML fills. A condition that always holds (`> '-infinity'`, `<> ''`) keeps an index
 * for those queries that say it: where all rows have one value today, the planner would else walk
 * it for another, rare value.
 */
export const sql = `
drop index stock_levels_by_sku;
drop index stock_levels_by_available;
create index stock_levels_by_sku on stock_levels (organization_id, sku) where gone_at is null and sku is not null;
create index stock_levels_there on stock_levels
  (organization_id, marketplace, warehouse, account_id, item_id, variation_id) where gone_at is null and item_id <> '';
create index stock_levels_scarce on stock_levels
  (organization_id, marketplace, warehouse, available, account_id, item_id, variation_id) where gone_at is null;

alter table invoice_documents
  add column first_seen_at timestamptz,
  add column type text collate "C" not null default 'desconocido'
    check (type in ('ingreso', 'egreso', 'traslado', 'pago', 'nomina', 'desconocido')),
  add column status text collate "C" not null default 'desconocido'
    check (status in ('vigente', 'cancelado', 'desconocido')),
  /* In upper case, as the folio. */
  add column issuer_rfc text collate "C",
  add column receiver_rfc text collate "C",
  add column total numeric,
  add column currency text,
  /* When its XML was read, and why it could not be. */
  add column read_at timestamptz,
  add column read_failure text;
update invoice_documents set first_seen_at = recorded_at;
alter table invoice_documents
  alter column first_seen_at set not null,
  /* Its place in lists. */
  add column listed_at timestamptz not null generated always as (coalesce(issued_at, first_seen_at)) stored;
create index invoice_documents_newest on invoice_documents
  (organization_id, listed_at, marketplace, account_id, id) where listed_at > '-infinity';
create index invoice_documents_by_kind on invoice_documents
  (organization_id, type, status, listed_at, marketplace, account_id, id) where type <> '';
create index invoice_documents_by_issuer on invoice_documents
  (organization_id, issuer_rfc, type, status, listed_at, marketplace, account_id, id) where issuer_rfc is not null;
create index invoice_documents_by_receiver on invoice_documents
  (organization_id, receiver_rfc, type, status, listed_at, marketplace, account_id, id)
  where receiver_rfc is not null;
create index invoice_documents_by_uuid on invoice_documents (organization_id, uuid) where uuid is not null;
create index invoice_orders_by_order on invoice_orders (organization_id, order_id);
create index invoice_orders_of on invoice_orders (organization_id, marketplace, account_id, document_id, order_id);
`;
