import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';

/** A document of a carrier in its row: sealed, or in clear as a former version kept it. */
interface Kept {
  readonly raw: string | null;
  readonly raw_box: Buffer | null;
}

interface UnsealedRow {
  /** The row's key in its organisation. */
  readonly key: readonly string[];
  readonly raw: string;
}

export interface Sealed {
  readonly box: Buffer;
  readonly digest: Buffer;
}

export type DocumentTable = ReturnType<typeof documentTable>;

/**
 * A table that keeps documents of carriers.
 * @param name a constant
 * @param keys its columns beside the organisation, of type text
 * @param hasDigest its documents are compared
 */
export function documentTable(
  name: string,
  keys: readonly string[],
  { hasDigest }: { hasDigest: boolean },
) {
  const sameRow = keys.map((key, at) => `${key} = $${at + 2}`).join(' and ');
  const box = `$${keys.length + 2}::bytea`;
  const digest = hasDigest ? `, raw_digest = $${keys.length + 3}::bytea` : '';
  return {
    name,
    hasDigest,
    document: statement<Kept>(
      `${name}.document`,
      `select raw, raw_box from ${name} where organization_id = $1 and ${sameRow}`,
    ),
    organizations: statement<{ organization_id: string }>(
      `${name}.organizations-with-unsealed`,
      `select distinct organization_id from ${name} where raw is not null`,
    ),
    lockUnsealed: statement<UnsealedRow>(
      `${name}.lock-unsealed`,
      `select array[${keys.join(', ')}] as key, raw from ${name}
        where organization_id = $1 and raw is not null
        order by organization_id, ${keys.join(', ')} limit $2::int for update skip locked`,
    ),
    seal: statement<object>(
      `${name}.seal`,
      `update ${name} set raw = null, raw_box = ${box}${digest}
        where organization_id = $1 and ${sameRow}`,
    ),
  };
}

export async function documentIn(
  scope: ReadScope,
  { document }: DocumentTable,
  key: readonly string[],
): Promise<Kept | null> {
  const [row] = await scope.prepared(document, key);
  return row ?? null;
}

export async function unsealedOrganizations(
  handle: Handle,
  { organizations }: DocumentTable,
): Promise<string[]> {
  return (await handle.raw(organizations, [])).map(({ organization_id: id }) => id);
}

export function lockUnsealed(
  scope: WriteScope,
  { lockUnsealed: lock }: DocumentTable,
  limit: number,
): Promise<UnsealedRow[]> {
  return scope.prepared(lock, [limit]);
}

/** The box takes the place of a locked row's document. */
export async function seal(
  scope: WriteScope,
  table: DocumentTable,
  key: readonly string[],
  { box, digest }: Sealed,
): Promise<void> {
  await scope.prepared(table.seal, [...key, box, ...(table.hasDigest ? [digest] : [])]);
}
