import { MARKETPLACES } from '../../connectors/contract.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface OrganizationRow {
  readonly id: string;
  readonly public_id: string;
  readonly name: string;
  readonly plan: string;
  readonly quota_override: number | null;
  readonly trial_ends_at: Instant | null;
  readonly suspended_at: Instant | null;
  readonly timezone: string;
  readonly is_sample: boolean;
}

const COLUMNS = [
  'id',
  'public_id',
  'name',
  'plan',
  'quota_override',
  'trial_ends_at',
  'suspended_at',
  'timezone',
  'is_sample',
] as const;

const CONNECTED = statement<{ count: number }>(
  'organizations.connected',
  `select count(distinct service) as count from connections
    where organization_id = $1 and disconnected_at is null and service = any($2::text[])`,
);

export async function insert(
  handle: WriteHandle,
  row: OrganizationRow & { createdAt: Instant },
): Promise<void> {
  const { createdAt, ...rest } = row;
  await handle.rows(
    build.insertInto('organizations').values({
      ...rest,
      trial_ends_at: row.trial_ends_at?.toString() ?? null,
      suspended_at: null,
      created_at: createdAt.toString(),
    }),
  );
}

export function byId(handle: Handle, id: string): Promise<OrganizationRow | undefined> {
  return handle.first(build.selectFrom('organizations').select(COLUMNS).where('id', '=', id));
}

export function all(handle: Handle): Promise<OrganizationRow[]> {
  return handle.rows(
    build.selectFrom('organizations').select(COLUMNS).orderBy('name').orderBy('id'),
  );
}

export async function setSuspended(
  handle: WriteHandle,
  id: string,
  at: Instant | null,
): Promise<void> {
  const suspended_at = at?.toString() ?? null;
  await handle.rows(build.updateTable('organizations').set({ suspended_at }).where('id', '=', id));
}

/** Does not block new references to the row. */
export async function lock({ organizationId, rows }: WriteScope): Promise<void> {
  await rows(
    build
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forNoKeyUpdate(),
  );
}

export async function rename(handle: WriteHandle, id: string, name: string): Promise<void> {
  await handle.rows(build.updateTable('organizations').set({ name }).where('id', '=', id));
}

export async function change(
  handle: WriteHandle,
  id: string,
  change: { readonly name: string; readonly timezone: string },
): Promise<void> {
  await handle.rows(build.updateTable('organizations').set(change).where('id', '=', id));
}

export async function updatePlan(
  handle: WriteHandle,
  id: string,
  plan: { plan: string; quota: number | null; trialEndsAt: Instant | null },
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('organizations')
      .set({
        plan: plan.plan,
        quota_override: plan.quota,
        trial_ends_at: plan.trialEndsAt?.toString() ?? null,
      })
      .where('id', '=', id)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function connectedMarketplaces(scope: ReadScope): Promise<number> {
  return (await scope.prepared(CONNECTED, [MARKETPLACES]))[0]?.count ?? 0;
}
