/**
 * A refused access is counted and tried again by itself. Connections that were waiting for their
 * seller are tried soon, but for accounts of a carrier that wait for an address of their own.
 */
export const sql = `
alter table connections
  add column refused_what text check (refused_what in ('access', 'renewal', 'permission')),
  add column refused_at timestamptz,
  add column refusals integer not null default 0;

update connections set refused_what = 'access', refused_at = updated_at, refusals = 2
 where state = 'reauth_required' and credentials is not null
   and state_message is distinct from
       'Tu cuenta de Paquetexpress se conectó sin dirección de avisos. Reconéctala para obtener una; no se pierde nada.';

insert into schedules (organization_id, task, subject, every_seconds, due_at)
  select organization_id, 'access', id::text, 86400, now() from connections where refused_what is not null
  on conflict (organization_id, task, subject) do nothing;
`;
