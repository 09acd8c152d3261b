import type { Handle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';

export interface AccessRow {
  readonly payload: string;
  readonly grant_id: string;
  readonly organization_id: string;
  readonly person_id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly role: string;
}

/** @param hash SHA-256 of the access token, in hex */
export function accessByToken(handle: Handle, hash: string): Promise<AccessRow | undefined> {
  return handle.first(
    build
      .selectFrom('oauth_records as token')
      .innerJoin('agent_grants as held', 'held.grant_id', 'token.grant_id')
      .innerJoin('members', (join) =>
        join
          .onRef('members.organization_id', '=', 'held.organization_id')
          .onRef('members.person_id', '=', 'held.person_id'),
      )
      .select([
        'token.payload',
        'held.grant_id',
        'held.organization_id',
        'held.person_id',
        'held.client_id',
        'held.client_name',
        'members.role',
      ])
      .where('token.model', '=', 'AccessToken')
      .where('token.id', '=', hash)
      .where('held.disconnected_at', 'is', null),
  );
}
