import type { Handle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';

const BESIDE = statement<{ id: string }>(
  'samples.beside',
  `select s.id from members here
     join members m on m.person_id = here.person_id
     join organizations s on s.id = m.organization_id and s.is_sample
    where here.organization_id = $1 and s.id <> $1
      and not exists (
        select from members o join organizations r on r.id = o.organization_id
         where o.person_id = m.person_id and o.organization_id <> $1 and not r.is_sample)`,
);

/** Their ids. */
export async function samplesBeside(handle: Handle, organizationId: string): Promise<string[]> {
  const rows = await handle.raw(BESIDE, [organizationId]);
  return rows.map(({ id }) => id);
}
