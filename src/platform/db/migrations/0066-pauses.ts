/** Since when an account's synchronisation is paused; its state goes on meanwhile. */
export const sql = `
alter table connections add column paused_at timestamptz;
`;
