/** Exports of one marketplace, or of one payout of one of its accounts. */
export const sql = `
alter table exports
  add column marketplace text,
  add column account_id text,
  add column payout_id text;
`;
