/**
 * Tables of organisations can be distributed over database servers (`table-homes.ts`): no foreign
 * key of theirs leads to a table that stays on the coordinator.
 */
export const sql = `
alter table delta_clocks drop constraint if exists delta_clocks_organization_id_fkey;
alter table forgotten_ahead drop constraint if exists forgotten_ahead_organization_id_fkey;
alter table rerenderings drop constraint if exists rerenderings_organization_id_fkey;
`;
