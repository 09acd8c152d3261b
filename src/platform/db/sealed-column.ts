import { SealError } from '../seal.ts';
import type { Handle, ReadScope, WriteScope } from './database.ts';
import { type Search, type Statement, search, statement } from './query.ts';
import { openBytes, sealText } from './sealed-text.ts';
import type { Vault } from './vault.ts';

/**
 * A text that is sealed in its row, and bound to it. A former version kept it in clear, which the
 * housekeeping seals.
 */
export interface SealedColumn {
  readonly table: string;
  readonly hasDigest: boolean;
  bindingOf(key: readonly string[]): readonly string[];
  readonly organizations: Search<{ organization_id: string }>;
  readonly lock: Statement<ClearRow>;
  readonly seal: Statement<object>;
}

interface Description {
  readonly table: string;
  /** The columns of the row's key in its organisation. */
  readonly keys: readonly string[];
  /** Columns with the text in clear; several are one JSON object by their names. */
  readonly clear: readonly string[];
  readonly box: string;
  /** Where texts of one row are compared. */
  readonly digest?: string;
  /** Takes the number of bytes of one clear column. */
  readonly bytes?: string;
  /** Distinguishes boxes of one row. */
  readonly purpose?: string;
}

interface ClearRow {
  readonly key: readonly string[];
  readonly text: string;
}

interface StoredText {
  readonly box: Buffer | null;
  readonly clear: string | null;
}

/** @param description names are constants; the clear columns have an index that is partial by them */
export function sealedColumn({
  table,
  keys,
  clear,
  box,
  digest,
  bytes,
  purpose,
}: Description): SealedColumn {
  const isClear = `(${clear.map((column) => `${column} is not null`).join(' or ')})`;
  const object = clear.map((column) => `'${column}', ${column}`).join(', ');
  const text =
    clear.length === 1 ? clear[0] : `jsonb_strip_nulls(jsonb_build_object(${object}))::text`;
  const sealed = [
    ...clear.map((column) => `${column} = null`),
    `${box} = $${keys.length + 2}::bytea`,
    ...(digest === undefined ? [] : [`${digest} = $${keys.length + 3}::bytea`]),
    ...(bytes === undefined ? [] : [`${bytes} = octet_length(${clear[0]})`]),
  ];
  return {
    table,
    hasDigest: digest !== undefined,
    bindingOf: (key) => [table, ...key, ...(purpose === undefined ? [] : [purpose])],
    organizations: search(
      `${table}.with-clear-${box}`,
      () => `select distinct organization_id from ${table} where ${isClear}`,
    ),
    lock: statement(
      `${table}.lock-clear-${box}`,
      `select array[${keys.map((key) => `${key}::text`).join(', ')}] as key, ${text} as text from ${table}
        where organization_id = $1 and ${isClear}
        order by organization_id, ${keys.join(', ')} limit $2::int for update skip locked`,
    ),
    seal: statement(
      `${table}.seal-${box}`,
      `update ${table} set ${sealed.join(', ')}
        where organization_id = $1 and ${keys.map((key, at) => `${key} = $${at + 2}`).join(' and ')}`,
    ),
  };
}

/** @param key of the row in its organisation, as the table has it */
export function sealFor(
  vault: Vault,
  column: SealedColumn,
  key: readonly string[],
  text: string | Uint8Array,
): Promise<Buffer> {
  return sealText(vault, column.bindingOf(key), text);
}

/** 32 bytes by which texts of one row are compared. */
export function digestFor(
  vault: Vault,
  column: SealedColumn,
  key: readonly string[],
  text: string | Uint8Array,
): Buffer {
  return vault.digest(column.bindingOf(key), Buffer.from(text));
}

/** Null where there is none, or where it cannot be decrypted: it is shown as missing. */
export async function openFrom(
  scope: ReadScope,
  column: SealedColumn,
  key: readonly string[],
  stored: StoredText,
): Promise<string | null> {
  if (!stored.box) return stored.clear;
  return (await openBytesFrom(scope, column, key, stored))?.toString() ?? null;
}

/** The same of what may be no text. */
export async function openBytesFrom(
  scope: ReadScope,
  column: SealedColumn,
  key: readonly string[],
  { box, clear }: StoredText,
): Promise<Buffer | null> {
  if (!box) return clear === null ? null : Buffer.from(clear);
  try {
    return await openBytes(await scope.vault(), column.bindingOf(key), box);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Organisations with texts in clear. */
export async function organizationsInClear(
  handle: Handle,
  columns: readonly SealedColumn[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const { organizations } of columns)
    for (const { organization_id: id } of await handle.search(organizations, [])) found.add(id);
  return [...found];
}

/** Seals texts that are in clear. @returns how many, `limit` at most */
export async function sealClear(
  scope: WriteScope,
  columns: readonly SealedColumn[],
  limit: number,
): Promise<number> {
  // Before the rows: a transaction that writes one and makes the key would wait for them.
  const vault = await scope.vault();
  let sealed = 0;
  for (const column of columns) {
    const rows = await scope.prepared(column.lock, [limit - sealed]);
    for (const { key, text } of rows) {
      const digest = column.hasDigest ? [digestFor(vault, column, key, text)] : [];
      await scope.prepared(column.seal, [
        ...key,
        await sealFor(vault, column, key, text),
        ...digest,
      ]);
    }
    sealed += rows.length;
  }
  return sealed;
}
