import type { Handle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';

export interface MembershipRow {
  readonly organization_id: string;
  readonly name: string;
  readonly role: string;
}

export function membershipsOf(handle: Handle, personId: string): Promise<MembershipRow[]> {
  return handle.rows(
    build
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.id', 'members.organization_id')
      .select(['members.organization_id', 'organizations.name', 'members.role'])
      .where('members.person_id', '=', personId)
      .orderBy('members.created_at')
      .orderBy('members.organization_id'),
  );
}
