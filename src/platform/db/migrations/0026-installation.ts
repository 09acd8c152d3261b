/** What the running service tells the operator's commands beside it: one row. */
export const sql = `
create table installation (
  one boolean primary key default true check (one),
  public_url text not null
);
`;
