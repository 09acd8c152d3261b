/** Grants that stand: not revoked, of persons who have belonged to the organisation ever since. */
import type { Handle, ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { GrantRow } from './store.ts';

const STANDS = statement<object>(
  'agent_grants.stands',
  `select 1 as one from agent_grants held
     join members on members.organization_id = held.organization_id and members.person_id = held.person_id
    where held.grant_id = $1 and held.disconnected_at is null and members.created_at <= held.created_at`,
);

const ALLOWS = statement<object>(
  'agent_grants.allows',
  `select 1 as one from agent_grants held
     join members on members.organization_id = held.organization_id and members.person_id = held.person_id
    where held.organization_id = $1 and held.grant_id = $2 and $3 = any(held.scopes)
      and held.disconnected_at is null and members.created_at <= held.created_at`,
);

const STANDING = statement<Pick<GrantRow, 'grant_id' | 'scopes'>>(
  'agent_grants.standing',
  `select held.grant_id, held.scopes from agent_grants held
     join members on members.organization_id = held.organization_id and members.person_id = held.person_id
    where held.organization_id = $1 and held.person_id = $2 and held.client_id = $3
      and held.disconnected_at is null and members.created_at <= held.created_at
    order by held.created_at desc limit 1`,
);

export async function standingGrant(
  scope: ReadScope,
  personId: string,
  clientId: string,
): Promise<Pick<GrantRow, 'grant_id' | 'scopes'> | undefined> {
  return (await scope.prepared(STANDING, [personId, clientId]))[0];
}

export async function grantStands(handle: Handle, grantId: string): Promise<boolean> {
  return (await handle.raw(STANDS, [grantId])).length === 1;
}

export async function grantAllows(
  scope: ReadScope,
  grantId: string,
  wanted: string,
): Promise<boolean> {
  return (await scope.prepared(ALLOWS, [grantId, wanted])).length === 1;
}
