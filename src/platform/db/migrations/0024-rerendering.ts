/**
 * Orders of an older representation are rendered anew: how far each organisation got, and which
 * order's last change by its source came with its document. An order without the latter was stored
 * before; its last change of status tells it.
 */
export const sql = `
alter table orders add column told_at timestamptz;

create table rerenderings (
  organization_id uuid primary key references organizations (id),
  representation smallint not null,
  marketplace text collate "C" not null default '',
  account_id text collate "C" not null default '',
  order_id text collate "C" not null default '',
  total bigint,
  visited bigint not null default 0,
  changed bigint not null default 0,
  undocumented bigint not null default 0,
  unreadable bigint not null default 0,
  started_at timestamptz not null,
  due_at timestamptz not null,
  ended_at timestamptz,
  is_failing boolean not null default false
);
create index rerenderings_due on rerenderings (due_at) where ended_at is null;
`;
