/**
 * Stock with its past, what purses hold, payouts, documents of invoices, and the sums of sales.
 * Keys begin with the organisation; amounts are numeric and belong to one currency.
 */
export const sql = `
alter table stock_levels
  add column search_text text not null default '',
  add column seen_at timestamptz,
  add column missing_since timestamptz,
  add column gone_at timestamptz;
update stock_levels set search_text = lower(coalesce(sku, '') || ' ' || title), seen_at = updated_at;
alter table stock_levels alter column seen_at set not null;
alter table stock_levels set (fillfactor = 80);
create index stock_levels_by_sku on stock_levels
  (organization_id, sku, marketplace, account_id, item_id, variation_id, warehouse);
create index stock_levels_by_available on stock_levels
  (organization_id, available, marketplace, account_id, item_id, variation_id, warehouse);

create table stock_history (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  item_id text not null,
  variation_id text not null,
  warehouse text not null,
  at timestamptz not null,
  available bigint,
  unavailable bigint not null,
  is_gone boolean not null,
  primary key (organization_id, marketplace, account_id, item_id, variation_id, warehouse, at)
);

create table balances (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  purse text not null,
  currency text not null,
  connection_id uuid not null,
  available numeric,
  pending numeric,
  releases text not null,
  as_of timestamptz not null,
  is_derived boolean not null,
  changed_at timestamptz not null,
  primary key (organization_id, marketplace, account_id, purse, currency)
);

create table balance_history (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  purse text not null,
  currency text not null,
  as_of timestamptz not null,
  available numeric,
  pending numeric,
  primary key (organization_id, marketplace, account_id, purse, currency, as_of)
);

create table settlements (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  id text not null,
  connection_id uuid not null,
  status text not null,
  marketplace_status text not null,
  currency text not null,
  gross numeric,
  fees numeric,
  net numeric not null,
  period_from timestamptz,
  period_to timestamptz,
  paid_at timestamptz,
  reference text,
  changed_at timestamptz,
  listed_at timestamptz not null,
  raw text not null,
  primary key (organization_id, marketplace, account_id, id)
);
create index settlements_newest on settlements (organization_id, listed_at, marketplace, account_id, id);

create table invoice_documents (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  id text not null,
  connection_id uuid not null,
  file_name text,
  uuid text,
  xml text,
  url text,
  issued_at timestamptz,
  recorded_at timestamptz not null,
  primary key (organization_id, marketplace, account_id, id)
);

create table invoice_orders (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  order_id text collate "C" not null,
  document_id text not null,
  primary key (organization_id, marketplace, account_id, order_id, document_id)
);

create table sales_days (
  organization_id uuid not null,
  day date not null,
  marketplace text not null,
  account_id text not null,
  storefront text not null,
  currency text not null,
  status text not null,
  orders bigint not null,
  orders_without_total bigint not null,
  units bigint not null,
  gross numeric not null,
  refunds numeric not null,
  undated_refunds numeric not null,
  primary key (organization_id, day, marketplace, account_id, storefront, currency, status)
) with (fillfactor = 60);

create table sales_products (
  organization_id uuid not null,
  day date not null,
  marketplace text not null,
  account_id text not null,
  storefront text not null,
  currency text not null,
  product text not null,
  title text not null,
  orders bigint not null,
  units bigint not null,
  gross numeric not null,
  primary key (organization_id, day, marketplace, account_id, storefront, currency, product)
) with (fillfactor = 60);

create table sales_refunds (
  organization_id uuid not null,
  day date not null,
  marketplace text not null,
  account_id text not null,
  storefront text not null,
  currency text not null,
  refunds bigint not null,
  amount numeric not null,
  primary key (organization_id, day, marketplace, account_id, storefront, currency)
) with (fillfactor = 60);

create table sales_recounts (
  organization_id uuid primary key
);
insert into sales_recounts select organization_id from delta_clocks;
`;
