/**
 * What follows from a tax document: whose it is, by the organisation's fiscal profile, its orders,
 * the documents that it names, and what the SAT says of it.
 */
export const sql = `
create table fiscal_profiles (
  organization_id uuid primary key,
  person text check (person in ('natural', 'legal')),
  regime text,
  has_border_vat boolean not null default false,
  rfcs text[] not null default '{}',
  changed_at timestamptz not null
);

alter table cfdis
  add column direction text collate "C" not null default 'other'
    check (direction in ('issued', 'received', 'other')),
  add column status text collate "C" not null default 'desconocido'
    check (status in ('vigente', 'cancelado', 'desconocido')),
  add column related_at timestamptz,
  add column asked_at timestamptz,
  add column ask_at timestamptz;
update cfdis set type = case
  when kind = 'withholding' then 'retencion'
  when type = 'I' then 'ingreso' when type = 'E' then 'egreso' when type = 'T' then 'traslado'
  when type = 'P' then 'pago' when type = 'N' then 'nomina' else 'desconocido' end;
alter table cfdis
  alter column type set not null,
  add check (type in ('ingreso', 'egreso', 'traslado', 'pago', 'nomina', 'retencion', 'desconocido'));
create index cfdis_newest on cfdis (organization_id, issued_at, uuid)
  where issued_at > '-infinity';
create index cfdis_by_kind on cfdis (organization_id, direction, type, status, issued_at, uuid)
  where type <> '';
create index cfdis_by_issuer on cfdis
  (organization_id, issuer_rfc, direction, type, status, issued_at, uuid);
create index cfdis_by_receiver on cfdis
  (organization_id, receiver_rfc, direction, type, status, issued_at, uuid)
  where receiver_rfc is not null;
create index cfdis_unrelated on cfdis (organization_id, uuid) where related_at is null;
create index cfdis_to_ask on cfdis (organization_id, ask_at) where ask_at is not null;

create table cfdi_orders (
  organization_id uuid not null,
  uuid text collate "C" not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  origin text not null check (origin in ('marketplace', 'document', 'person')),
  state text not null check (state in ('linked', 'rejected')),
  linked_at timestamptz not null,
  told_at timestamptz,
  primary key (organization_id, uuid, marketplace, account_id, order_id)
);
create index cfdi_orders_by_order on cfdi_orders
  (organization_id, order_id, marketplace, account_id, uuid);
create index cfdi_orders_untold on cfdi_orders (organization_id, uuid)
  where told_at is null and state = 'linked';

create table cfdi_relations (
  organization_id uuid not null,
  uuid text collate "C" not null,
  place int4 not null,
  relation text collate "C" not null,
  related_uuid text collate "C" not null,
  amount numeric,
  primary key (organization_id, uuid, place)
);
create index cfdi_relations_by_related on cfdi_relations (organization_id, related_uuid, uuid);
`;
