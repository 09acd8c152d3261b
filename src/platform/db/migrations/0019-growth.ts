/**
 * Documents of orders are found by their order: an order has the stamps of its documents, and a
 * bundle stands for a span of stamps. Loose bundles are packed together, and documents that a newer
 * one replaced are removed. What was kept before is linked by the housekeeping.
 */
export const sql = `
alter table order_documents
  add column stamps timestamptz[],
  add column is_loose boolean not null default false,
  add column replaced_at timestamptz;
alter table order_documents alter column stamps set statistics 0;
alter table orders add column documented_at timestamptz[] not null default '{}';
alter table orders alter column documented_at set statistics 0;
`;
