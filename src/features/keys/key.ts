import type { Instant } from '../../platform/time.ts';
import type { KeyScope } from './scopes.ts';
import type { KeyRow } from './store.ts';

export interface Key {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: readonly KeyScope[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  /** Whether another one replaced it. */
  readonly isReplaced: boolean;
  /** The maker: a person, who may be deleted since, or an operator. Null: older than the trail. */
  readonly madeBy: { readonly personId: string } | 'operator' | null;
}

export function fromRow(row: KeyRow): Key {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    lastFour: row.last_four,
    scopes: row.scopes as KeyScope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    isReplaced: row.replaced_by !== null,
    madeBy: makerOf(row),
  };
}

function makerOf({ made_by, made_by_person }: KeyRow): Key['madeBy'] {
  if (made_by === null) return null;
  return made_by_person === null ? 'operator' : { personId: made_by_person };
}
