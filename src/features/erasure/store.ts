import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { LOCK_KINDS } from '../../platform/db/lock-kinds.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import { removeJobsAbout } from '../../platform/queue.ts';
import type { Instant } from '../../platform/time.ts';
import { ERASED, type ErasedTable, OF_PEOPLE } from './tables.ts';

interface ErasureRow {
  readonly started_at: Instant;
  /** JSON. */
  readonly services: string;
  readonly ended_at: Instant | null;
}

interface Counted {
  readonly rows: number;
}

/** Rows of one transaction, whose locks last for some tens of milliseconds. */
export const ROWS_AT_ONCE = 2_000;

const REMOVE = new Map<ErasedTable, Statement<Counted>>(
  ERASED.map((table) => [
    table,
    statement<Counted>(
      `erasure.remove-${table}`,
      `with removed as (
         delete from ${table} where organization_id = $1 and ctid = any(array(
           select ctid from ${table} where organization_id = $1 limit ${ROWS_AT_ONCE}))
         returning 1)
       select count(*)::int4 as rows from removed`,
    ),
  ]),
);

const FIND = statement<ErasureRow>(
  'erasures.find',
  'select started_at, services, ended_at from erasures where organization_id = $1',
);
const BEGIN = statement<object>(
  'erasures.begin',
  `insert into erasures (organization_id, started_at, services) values ($1, $2, $3)
   on conflict (organization_id) do nothing`,
);
const COUNT = statement<object>(
  'erasures.count',
  `insert into erased_rows (organization_id, table_name, rows) values ($1, $2, $3)
   on conflict (organization_id, table_name) do update set rows = erased_rows.rows + excluded.rows`,
);
const COUNTS = statement<{ table_name: string; rows: number }>(
  'erasures.counts',
  `select table_name, rows::float8 as rows from erased_rows where organization_id = $1
    order by table_name`,
);
const END = statement<object>(
  'erasures.end',
  'update erasures set ended_at = $2 where organization_id = $1',
);
const WAIT = statement<object>(
  'erasures.wait',
  `select pg_advisory_xact_lock(${LOCK_KINDS.organization}, hashtext($1::uuid::text))`,
);
const LOCK_ORGANIZATION = statement<object>(
  'erasures.lock-organization',
  'select from organizations where id = $1 for update',
);
const SUSPEND = statement<object>(
  'erasures.suspend',
  `update organizations set suspended_at = coalesce(suspended_at, $2::timestamptz) where id = $1`,
);
const REMOVE_ORGANIZATION = statement<Counted>(
  'erasures.remove-organization',
  `with removed as (delete from organizations where id = $1 returning 1)
   select count(*)::int4 as rows from removed`,
);
const CONNECTIONS = statement<{ id: string }>(
  'erasures.connections',
  'select id from connections where organization_id = $1',
);
/** Locked, so that none of them joins another organisation meanwhile. */
const LOCK_PEOPLE = statement<object>(
  'erasures.lock-people',
  `select from people where id in (select person_id from members where organization_id = $1)
    order by id for update`,
);
const ONLY_HERE = statement<{ id: string; email: string }>(
  'erasures.people-only-here',
  `select p.id, p.email from people p join members m on m.person_id = p.id
    where m.organization_id = $1
      and not exists (select from members o where o.person_id = p.id and o.organization_id <> $1)`,
);
const REMOVE_GRANTED = statement<Counted>(
  'erasures.remove-granted',
  `with removed as (
     delete from oauth_records where grant_id in (
       select grant_id from agent_grants where organization_id = $1)
     returning 1)
   select count(*)::int4 as rows from removed`,
);
const REMOVE_OF_PEOPLE = OF_PEOPLE.map((table) => ({
  table,
  remove: statement<Counted>(
    `erasures.remove-people-${table}`,
    `with removed as (delete from ${table} where person_id = any($1::uuid[]) returning 1)
     select count(*)::int4 as rows from removed`,
  ),
}));
/**
 * Deleting a person leaves their invitations without a sender, as an operator's are: these must not
 * become valid by it.
 */
const REVOKE_INVITATIONS = statement<object>(
  'erasures.revoke-invitations',
  `update invitations set revoked_at = $2
    where invited_by = any($1::uuid[]) and accepted_at is null and revoked_at is null`,
);
const REMOVE_PEOPLE = statement<Counted>(
  'erasures.remove-people',
  `with removed as (delete from people where id = any($1::uuid[]) returning 1)
   select count(*)::int4 as rows from removed`,
);
/** Links by mail and consents under way name a person by address or id. */
const NAMING = [
  { table: 'verifications', said: "identifier || ' ' || value" },
  { table: 'oauth_records', said: 'payload' },
] as const;
const REMOVE_NAMING = NAMING.map(({ table, said }) => ({
  table,
  remove: statement<Counted>(
    `erasures.remove-naming-${table}`,
    `with removed as (
       delete from ${table} where exists (
         select from unnest($1::text[]) as word where strpos(${said}, word) > 0)
       returning 1)
     select count(*)::int4 as rows from removed`,
  ),
}));

export async function find(handle: Handle, id: string): Promise<ErasureRow | undefined> {
  return (await handle.raw(FIND, [id]))[0];
}

export async function begin(handle: WriteHandle, id: string, at: Instant, services: string) {
  await handle.raw(BEGIN, [id, at.toString(), services]);
}

export async function end(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  await handle.raw(END, [id, at.toString()]);
}

export function counts(handle: Handle, id: string) {
  return handle.raw(COUNTS, [id]);
}

/** Until every transaction of the organisation that had entered it is over. */
export async function waitForOthers(handle: WriteHandle, id: string): Promise<void> {
  await handle.raw(WAIT, [id]);
}

/** Nothing can refer to it from then on. */
export async function lockOrganization(handle: WriteHandle, id: string): Promise<void> {
  await handle.raw(LOCK_ORGANIZATION, [id]);
}

export async function suspend(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  await handle.raw(SUSPEND, [id, at.toString()]);
}

/** @returns how many rows there were, `ROWS_AT_ONCE` at most */
export async function remove(handle: WriteHandle, id: string, table: ErasedTable): Promise<number> {
  return counted(handle, id, table, REMOVE.get(table) as Statement<Counted>, [id]);
}

export async function removeOrganization(handle: WriteHandle, id: string): Promise<void> {
  await counted(handle, id, 'organizations', REMOVE_ORGANIZATION, [id]);
}

/** With the tokens of their agents. */
export async function removeMembers(handle: WriteHandle, id: string): Promise<void> {
  await counted(handle, id, 'oauth_records', REMOVE_GRANTED, [id]);
  while ((await remove(handle, id, 'agent_grants')) > 0);
  while ((await remove(handle, id, 'members')) > 0);
}

/** The members, and of these the people who belong to no other organisation. */
export async function removePeople(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  await handle.raw(LOCK_PEOPLE, [id]);
  const people = await handle.raw(ONLY_HERE, [id]);
  const ids = people.map((person) => person.id);
  const words = people.flatMap(({ id, email }) => [id, email]);
  for (const { table, remove } of REMOVE_NAMING) await counted(handle, id, table, remove, [words]);
  for (const { table, remove } of REMOVE_OF_PEOPLE) await counted(handle, id, table, remove, [ids]);
  await removeMembers(handle, id);
  await handle.raw(REVOKE_INVITATIONS, [ids, at.toString()]);
  await counted(handle, id, 'people', REMOVE_PEOPLE, [ids]);
}

/** Jobs name the organisation or a connection of it, in the payload or the result. */
export async function removeJobs(handle: WriteHandle, id: string): Promise<void> {
  const connections = await handle.raw(CONNECTIONS, [id]);
  const rows = await removeJobsAbout(handle, [id, ...connections.map(({ id }) => id)]);
  await count(handle, id, 'queue.job', rows);
}

async function counted(
  handle: WriteHandle,
  id: string,
  table: string,
  remove: Statement<Counted>,
  values: readonly unknown[],
): Promise<number> {
  const rows = (await handle.raw(remove, values))[0]?.rows ?? 0;
  await count(handle, id, table, rows);
  return rows;
}

async function count(handle: WriteHandle, id: string, table: string, rows: number): Promise<void> {
  if (rows > 0) await handle.raw(COUNT, [id, table, rows]);
}
