import type { Role } from '../accounts/index.ts';
import { SCOPES, type Scope } from '../keys/index.ts';

const WAREHOUSE: readonly Scope[] = ['orders:read', 'inventory:read', 'shipments:read'];

const OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  admin: SCOPES,
  member: SCOPES,
  supervisor: WAREHOUSE,
  warehouse: WAREHOUSE,
};

/** What a person in this role may let an agent read. */
export function scopesFor(role: Role): readonly Scope[] {
  return OF_ROLE[role];
}
