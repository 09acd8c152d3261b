/** What buyers gave for the invoices of their orders; sealed, and erased with the buyer. */
export const sql = `
create table billing_data (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  data_box bytea not null,
  data_digest bytea not null,
  recorded_at timestamptz not null,
  primary key (organization_id, order_id, marketplace, account_id)
);
`;
