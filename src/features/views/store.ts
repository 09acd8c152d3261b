import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';

export interface SavedView {
  readonly name: string;
  /** As in the address of the screen. */
  readonly query: string;
}

const LIST = statement<SavedView>(
  'views.list',
  `select name, query from saved_views
    where organization_id = $1 and person_id = $2 and place = $3 order by lower(name), name`,
);

export function viewsOf(scope: ReadScope, personId: string, screen: string): Promise<SavedView[]> {
  return scope.prepared(LIST, [personId, screen]);
}

const PUT = statement<{ name: string }>(
  'views.put',
  `insert into saved_views (organization_id, person_id, place, name, query, saved_at)
   select $1, $2::uuid, $3::text, $4::text, $5::text, $6::timestamptz
    where (select count(*) from saved_views
            where organization_id = $1 and person_id = $2 and place = $3 and name <> $4) < $7::int
   on conflict (organization_id, person_id, place, name) do update
     set query = excluded.query, saved_at = excluded.saved_at
   returning name`,
);

/** @returns false where the person has so many others already */
export async function put(
  scope: WriteScope,
  personId: string,
  screen: string,
  { name, query }: SavedView,
  most: number,
): Promise<boolean> {
  const values = [personId, screen, name, query, scope.clock.now().toString(), most];
  return (await scope.prepared(PUT, values)).length > 0;
}

const REMOVE = statement<{ name: string }>(
  'views.remove',
  `delete from saved_views where organization_id = $1 and person_id = $2 and place = $3 and name = $4
   returning name`,
);

export async function remove(
  scope: WriteScope,
  personId: string,
  screen: string,
  name: string,
): Promise<boolean> {
  return (await scope.prepared(REMOVE, [personId, screen, name])).length > 0;
}
