/** When to look again for the orders that a CFDI names; a former release looks once. */
export const sql = `
alter table cfdis add column look_at timestamptz;
`;
