import type { Handle, OrganizationDatabase, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ListenersOf } from '../orders/index.ts';
import { openRecord } from './cfdis.ts';
import { nextLook } from './look-times.ts';
import { annotateLinked, isOwnSale, linkNamed } from './relate-cfdis.ts';
import { inheritLinks } from './store-inherited.ts';
import { linksOf } from './store-links.ts';
import * as store from './store-looks.ts';

const AT_ONCE = 20;

/** Organisations with CFDI whose orders are to be looked for now. */
export function organizationsToLook(handle: Handle, now: Instant): Promise<string[]> {
  return store.organizations(handle, now);
}

/**
 * Makes CFDI of any age due, in the transaction that ends a series of orders that may be older than
 * the CFDI: what links them may be cut off.
 */
export function makeOlderCfdisDue(scope: WriteScope): Promise<void> {
  return store.setAllDue(scope);
}

/** Links all CFDI that are due to the orders that they name. It may be cut off: the rest is due. */
export async function linkDueCfdis(
  organization: OrganizationDatabase,
  listenersOf: ListenersOf,
): Promise<void> {
  const link = () => organization.write((scope) => linkLateOrders(scope, listenersOf, AT_ONCE));
  while ((await link()) === AT_ONCE);
}

/**
 * Links CFDI to orders that they name and that were stored after them, the longest due first.
 * @returns how many CFDI were looked at
 */
export async function linkLateOrders(
  scope: WriteScope,
  listenersOf: ListenersOf,
  limit: number,
): Promise<number> {
  const due = await store.due(scope, limit);
  if (due.length === 0) return 0;
  const vault = await scope.vault();
  const documents = due.map(({ uuid, direction, recorded_at, record_box }) => ({
    uuid,
    direction,
    recorded_at,
    record: openRecord(vault, uuid, record_box),
  }));
  const named = await inheritLinks(scope, await linkNamed(scope, documents));
  const links = await linksOf(scope, named);
  await annotateLinked(scope, links, listenersOf);
  const uuids = due.map(({ uuid }) => uuid);
  const linked = new Set((await linksOf(scope, uuids)).map(({ uuid }) => uuid));
  const now = scope.clock.now();
  const looks = documents.map(({ uuid, direction, recorded_at, record }) => {
    // A global invoice names many orders.
    const isOpen =
      isOwnSale(record, direction) && (record.global_info !== null || !linked.has(uuid));
    return { uuid, look_at: isOpen ? nextLook(recorded_at, now) : null };
  });
  await store.setLooks(scope, looks);
  return due.length;
}
