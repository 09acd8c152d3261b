import type { Handle } from '../../platform/db/database.ts';
import * as store from './store.ts';

/** What a person may be in an organisation. */
export const ROLES = ['owner', 'admin', 'member', 'supervisor', 'warehouse'] as const;
export type Role = (typeof ROLES)[number];

export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
}

/** Where a person belongs, oldest first. */
export async function membershipsOf(handle: Handle, personId: string): Promise<Membership[]> {
  const rows = await store.membershipsOf(handle, personId);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    organizationName: row.name,
    role: row.role as Role,
  }));
}
