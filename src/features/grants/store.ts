import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';

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

export interface CallRow {
  readonly grant_id: string;
  readonly person_id: string;
  readonly client_id: string;
  readonly tool: string;
  readonly at: string;
  readonly duration_ms: number;
  readonly row_count: number;
  readonly outcome: string;
}

const TOUCH = statement<object>(
  'grants.touch',
  `update agent_grants held set last_used_at = greatest(held.last_used_at, used.at)
     from (select grant_id, max(at) as at from unnest($2::text[], $3::timestamptz[]) as calls (grant_id, at)
            group by grant_id) as used
    where held.organization_id = $1 and held.grant_id = used.grant_id`,
);

/** Writes what the agents of one organisation called, and when each was last there. */
export async function recordCalls(scope: WriteScope, calls: readonly CallRow[]): Promise<void> {
  await scope.rows(scope.insert('agent_calls', calls));
  await scope.prepared(TOUCH, [calls.map((call) => call.grant_id), calls.map((call) => call.at)]);
}
