import { createHash } from 'node:crypto';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';
import * as unreadable from './store-unreadable.ts';

/** A row that could not be read. */
export interface AsideRow {
  /** The id to request it again; null = unknown. */
  readonly externalId: string | null;
  readonly reason: string;
  /** Its document; empty = not stored. */
  readonly raw: string;
}

/**
 * Stores rows that could not be read, with the reason, for people to see: the last known state of
 * each.
 */
export async function setAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly AsideRow[],
): Promise<void> {
  const sealed = await sealAside(scope, connectionId, stream, rows);
  await keepAside(scope, connectionId, stream, sealed, null);
}

/** The first half of `setAside`; the transaction stores the result with its last statements. */
export async function sealAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly AsideRow[],
): Promise<unreadable.UnreadableValues[]> {
  if (rows.length === 0) return [];
  const vault = await scope.vault();
  const byDigest = new Map(
    rows.map((row) => [
      createHash('sha256')
        .update(row.externalId ?? row.raw)
        .digest('base64url'),
      row,
    ]),
  );
  return [...byDigest].map(([digest, { externalId, reason, raw }]) => {
    const binding = bindingOfAside(connectionId, stream, digest);
    const box = raw === '' ? '' : vault.seal(binding, Buffer.from(raw)).toString('base64');
    return { digest, externalId, reason, box };
  });
}

/**
 * The second half of `setAside`.
 * @param from where the window of the sync run begins; null = it has no beginning, or there is none
 */
export async function keepAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly unreadable.UnreadableValues[],
  from: Instant | null,
): Promise<void> {
  if (rows.length > 0) await unreadable.insertUnreadable(scope, connectionId, stream, rows, from);
}

/**
 * Removes rows without an id that a whole sync run over their windows did not set aside again.
 * @param window of that run; `from` null = it showed everything
 * @returns how many are left
 */
export async function forgetNameless(
  scope: WriteScope,
  rows: unreadable.Nameless,
  window: { readonly from: Instant | null; readonly to: Instant },
): Promise<number> {
  await unreadable.removeNameless(scope, rows, window);
  return (await unreadable.nameless(scope, rows)).length;
}

/**
 * The earliest beginning of the windows in which rows without an id were set aside, of those that
 * are due to be read again; `from` null = a window without a beginning. Null = none is due.
 * @param seenBefore by the beginning of a window: when its rows were last seen where it is due
 */
export async function namelessFrom(
  scope: ReadScope,
  rows: unreadable.Nameless,
  seenBefore: (from: Instant | null) => Instant,
): Promise<{ readonly from: Instant | null } | null> {
  const windows = (await unreadable.nameless(scope, rows))
    .filter(({ window_from: from, last_seen_at: seen }) => isBefore(seen, seenBefore(from)))
    .map((row) => row.window_from);
  if (windows.length === 0) return null;
  const known = windows.filter((from) => from !== null);
  const [earliest = null] = known.toSorted(Temporal.Instant.compare);
  return { from: known.length === windows.length ? earliest : null };
}

function isBefore(one: Instant, other: Instant): boolean {
  return Temporal.Instant.compare(one, other) < 0;
}

/** How many rows could not be read since then. */
export function countSetAside(
  scope: ReadScope,
  connectionId: string,
  stream: string,
  since: Instant,
): Promise<number> {
  return unreadable.countUnreadable(scope, connectionId, stream, since);
}

/** Ids of rows that were set aside, some of them where there are many. */
export function setAsideIds(
  scope: ReadScope,
  connectionId: string,
  stream: string,
  limit: number,
): Promise<string[]> {
  return unreadable.setAsideIds(scope, connectionId, stream, limit);
}

/** Removes the row set aside under this id, which can be read now. */
export async function takeBack(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  externalId: string,
): Promise<void> {
  await unreadable.removeUnreadable(scope, connectionId, stream, externalId);
}

/**
 * Removes set-aside documents: those of these ids and those without one, or, with null, all of the
 * connection's.
 */
export async function forgetUnreadable(
  scope: WriteScope,
  connectionId: string,
  externalIds: readonly string[] | null,
): Promise<void> {
  await unreadable.removeUnreadableOf(scope, connectionId, externalIds);
}

/** Rows that were set aside and not read since, newest first. @throws SealError */
export async function listSetAside(scope: ReadScope): Promise<KeptAside[]> {
  const rows = await unreadable.listUnreadable(scope);
  const accounts = new Map((await store.accounts(scope)).map((row) => [row.id, row]));
  const vault = await scope.vault();
  return rows.flatMap(({ connection_id, stream, digest, external_id, box, ...row }) => {
    const account = accounts.get(connection_id);
    if (!account) return [];
    return {
      service: account.service,
      accountId: account.account_id,
      stream,
      externalId: external_id,
      ...partsOf(row.reason),
      at: row.last_seen_at,
      get document() {
        if (box === '') return null;
        return vault
          .open(bindingOfAside(connection_id, stream, digest), Buffer.from(box, 'base64'))
          .toString();
      },
    };
  });
}

interface KeptAside {
  readonly service: string;
  readonly accountId: string;
  readonly stream: string;
  /** The id to request it again; null = unknown. */
  readonly externalId: string | null;
  /** Of the first wrong field; `(whole)` = it is not one field. */
  readonly path: string;
  readonly reason: string;
  readonly at: Instant;
  /** As received, unsealed on reading; null = not stored. */
  readonly document: string | null;
}

function bindingOfAside(connectionId: string, stream: string, digest: string): string[] {
  return ['unreadable_items', connectionId, stream, digest];
}

/** `items.0.sku: longer than 255 characters`. */
function partsOf(reason: string): { path: string; reason: string } {
  const [, path, rest] = /^([^\s:]+): (.*)$/s.exec(reason) ?? [];
  return path !== undefined && rest !== undefined
    ? { path, reason: rest }
    : { path: '(whole)', reason };
}
