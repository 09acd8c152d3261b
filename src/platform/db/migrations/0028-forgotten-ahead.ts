/**
 * A buyer may ask to be forgotten before their order was ever stored: it is stored without them
 * when it comes.
 */
export const sql = `
create table forgotten_ahead (
  organization_id uuid not null references organizations (id),
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  primary key (organization_id, marketplace, account_id, order_id)
);
`;
