/** Organisations with a key, made in the database as the operator's CLI makes them. */
import { createKey } from '../../../src/features/keys/index.ts';
import { changePlan, createOrganization } from '../../../src/features/organizations/index.ts';
import type { Plan } from '../../../src/features/plans/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Database } from '../../../src/platform/db/database.ts';

export interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

interface Terms {
  readonly plan?: Plan;
  /** Requests a window; default: the plan's own. */
  readonly quota?: number;
}

/** More requests than any test makes. */
export const NO_LIMIT = 100_000_000;

export async function addTenant(database: Database, terms: Terms = {}): Promise<Tenant> {
  const { quota, plan = quota === undefined ? 'intermedio' : 'experto' } = terms;
  const { id } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: 'Tienda de prueba', plan }),
  );
  if (quota !== undefined) await setPlan(database, id, { plan, quota });
  const { id: keyId, key } = await database
    .within(id)
    .write((scope) => createKey(scope, 'operator', { name: 'prueba' }));
  return { id, key, keyId };
}

export async function setPlan(
  database: Database,
  organizationId: string,
  terms: Terms,
): Promise<void> {
  const { plan = 'intermedio', quota = null } = terms;
  await database.write((handle) =>
    changePlan(handle, systemClock, { organizationId, plan, quota }),
  );
}
