import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';

/** The condition of the index. A quote inside of a text of JSON has a backslash before it. */
const HAS_NAME = `(origin like '%"name":"%' or destination like '%"name":"%')`;

const ORGANIZATIONS = search<{ organization_id: string }>(
  'shipments.organizations-with-names',
  () => `select distinct organization_id from shipments where ${HAS_NAME}`,
);

const DROP_NAMES = statement<object>(
  'shipments.drop-names',
  `with named as (
     select carrier, account_id, id from shipments where organization_id = $1 and ${HAS_NAME}
      order by organization_id, carrier, account_id, id limit $2::int for update skip locked)
   update shipments s
      set origin = (s.origin::jsonb - 'name')::text,
          destination = (s.destination::jsonb - 'name')::text
     from named
    where s.organization_id = $1 and s.carrier = named.carrier
      and s.account_id = named.account_id and s.id = named.id
   returning 1`,
);

/** Organisations with names of people at the ends of parcels, which a former version stored. */
export async function clearNamesOrganizations(handle: Handle): Promise<string[]> {
  return (await handle.search(ORGANIZATIONS, [])).map(({ organization_id: id }) => id);
}

/** Removes those names; nothing shows them. @returns of how many shipments */
export async function dropClearNames(scope: WriteScope, limit: number): Promise<number> {
  return (await scope.prepared(DROP_NAMES, [limit])).length;
}
