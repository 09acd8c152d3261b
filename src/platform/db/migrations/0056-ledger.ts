/**
 * The ledger of movements: rows are added and never changed, except for what becomes known of them
 * later (`payout_id`, `is_open`). A row that its source tells otherwise is taken back by a row of
 * the opposite amount. The settlements of the marketplaces with a ledger are read again from the
 * beginning of their history.
 */
export const sql = `
create table movements (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  report text collate "C" not null,
  key text collate "C" not null,
  revision int4 not null,
  is_correction boolean not null,
  connection_id uuid not null,
  kind text collate "C" not null,
  amount numeric not null,
  currency text collate "C" not null,
  at timestamptz not null,
  native_type text not null,
  order_id text collate "C",
  payout_id text collate "C",
  is_open boolean not null,
  recorded_at timestamptz not null,
  primary key (organization_id, marketplace, account_id, report, key, revision)
);
create index movements_by_order on movements (organization_id, marketplace, account_id, order_id)
  where order_id is not null;
create index movements_by_payout on movements (organization_id, marketplace, account_id, payout_id)
  where payout_id is not null;
create index movements_by_time on movements (organization_id, marketplace, account_id, at, key);
create index movements_oldest on movements (at);

create table ledger_orders (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  changed_at timestamptz not null,
  told_at timestamptz,
  primary key (organization_id, marketplace, account_id, order_id)
);
create index ledger_orders_untold on ledger_orders (organization_id, marketplace, account_id, order_id)
  where told_at is null;
create index ledger_orders_oldest on ledger_orders (changed_at);

update streams set watermark = null
 where stream = 'settlements' and connection_id in (
   select id from connections
    where service in ('mercado_libre', 'amazon', 'shopify', 'tiktok_shop', 'liverpool', 'coppel'));
`;
