import { z } from 'zod';
import type { Database, WriteHandle } from './db/database.ts';
import { newId } from './ids.ts';
import { NO_ORGANIZATION } from './no-organization.ts';
import { SCHEMA } from './queue-start.ts';
import { isCurrent, type Keyring, type SealBinding, seal, unseal, unsealOrNull } from './seal.ts';

// A job may wait in the database for a day. What would sign a person in, or says whose address was
// typed, waits sealed.

export const SEALED_PAYLOAD = z.object({ ticket: z.string(), box: z.string() });
export type SealedPayload = z.infer<typeof SEALED_PAYLOAD>;

/** @param job the name of its kind */
export function sealPayload(keyring: Keyring, job: string, text: string): SealedPayload {
  const ticket = newId();
  return { ticket, box: seal(keyring, bindingOf(job, ticket), text) };
}

export function openPayload(keyring: Keyring, job: string, { ticket, box }: SealedPayload): string {
  return unseal(keyring, bindingOf(job, ticket), box);
}

/**
 * Seals again with the current master key the payloads of jobs that have not ended. May be
 * repeated.
 */
export async function resealPayloads(
  database: Database,
  keyring: Keyring,
): Promise<{ resealed: number; unopened: number }> {
  let [resealed, unopened] = [0, 0];
  for (let after = BEFORE_ALL; ; ) {
    const rows = await database.write((handle) => sealedAfter(handle, after));
    for (const { id, name, ticket, box } of rows.filter((row) => !isCurrent(keyring, row.box))) {
      const binding = bindingOf(name, ticket);
      const text = unsealOrNull(keyring, binding, box);
      if (text === null) unopened++;
      else if (await database.write((to) => replace(to, id, box, seal(keyring, binding, text))))
        resealed++;
    }
    const last = rows.at(-1);
    if (!last) return { resealed, unopened };
    after = last.id;
  }
}

interface SealedRow extends SealedPayload {
  readonly id: string;
  readonly name: string;
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const AT_ONCE = 200;

/** The layout of pg-boss's table. */
const AFTER = `select id, name, data->>'ticket' as ticket, data->>'box' as box from ${SCHEMA}.job
  where state < 'completed' and data ? 'ticket' and data ? 'box' and id > $1::uuid
  order by id limit ${AT_ONCE}`;
const REPLACE = `update ${SCHEMA}.job set data = jsonb_set(data, '{box}', to_jsonb($3::text))
  where id = $1::uuid and data->>'box' = $2 returning 1`;

/** None where no service has run yet: the queue has no tables. */
async function sealedAfter(handle: WriteHandle, after: string): Promise<SealedRow[]> {
  const [queue] = await handle.sql('select to_regclass($1) as is_there', [`${SCHEMA}.job`]);
  if ((queue as { is_there: unknown }).is_there === null) return [];
  return (await handle.sql(AFTER, [after])) as SealedRow[];
}

async function replace(
  handle: WriteHandle,
  id: string,
  former: string,
  box: string,
): Promise<boolean> {
  return (await handle.sql(REPLACE, [id, former, box])).length > 0;
}

function bindingOf(job: string, ticket: string): SealBinding {
  return { organizationId: NO_ORGANIZATION, subjectId: ticket, field: job };
}
