/** What a carrier said of their recipients was deleted, and is not stored again. */
export const sql = `
alter table shipments add column is_recipient_forgotten boolean not null default false;
alter table paquetexpress_shipments
  add column is_recipient_forgotten boolean not null default false;
`;
