import type { Marketplace, Read, SourceOrder } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { asStored, type Candidate, reread } from './candidate.ts';
import { lastDocuments } from './documents.ts';
import type { OrderIdentity, OrderListener } from './order.ts';
import { REPRESENTATION } from './public/fields.ts';
import { renderList } from './public/render.ts';
import { holdClock, takeClock } from './store-clock.ts';
import { identityOf } from './store-keys.ts';
import * as progress from './store-rerendering.ts';
import { lockStale, type StaleVersion } from './store-stale-versions.ts';
import { writeOrders } from './write-orders.ts';

/**
 * Reads a stored document with the current code; null = the marketplace's documents cannot be read
 * alone.
 */
type ReadDocument = (
  marketplace: Marketplace,
  raw: string,
  fetchedAt: Instant,
) => Read<SourceOrder> | null;

/** An order whose document cannot be read any more; its content stays. */
export interface UnreadDocument {
  readonly connectionId: string | null;
  readonly externalId: string;
  readonly reason: string;
  readonly raw: string;
}

/** The result of one step. */
export interface Rerendered {
  /** The last order of the step; null = none was left. */
  readonly last: OrderIdentity | null;
  readonly isEnd: boolean;
  readonly visited: number;
  /** Orders whose content changed. */
  readonly changed: number;
  /** Orders without a document of their content, or without one that can be read alone. */
  readonly undocumented: number;
  readonly unread: readonly UnreadDocument[];
}

interface Options {
  readonly read: ReadDocument;
  readonly listeners: readonly OrderListener[];
  /** The most orders to render again. */
  readonly most: number;
}

interface Rendering {
  readonly stored: StaleVersion;
  readonly candidate: Candidate;
  /** The source of the content, or the document that cannot be read any more. */
  readonly from: 'document' | 'stored' | UnreadDocument;
}

/** Orders of the current representation cost one key each. */
const KEYS_AT_ONCE = 1_000;

/**
 * Renders the next orders of an older representation again, by primary key, from their documents;
 * without one, from the stored content. The clock is held throughout: nothing newer is stored in
 * between, and a buyer is forgotten before or after it. `last_updated` moves where the content
 * changed.
 */
export async function rerenderNext(
  scope: WriteScope,
  after: progress.Position,
  { read, listeners, most }: Options,
): Promise<Rerendered> {
  const { stale, ...part } = await nextPart(scope, after, most);
  const renderings = stale.length > 0 ? await renderAll(scope, stale, read) : [];
  return {
    ...part,
    changed: await keep(scope, renderings, listeners),
    undocumented: renderings.filter(({ from }) => from === 'stored').length,
    unread: renderings.flatMap(({ from }) => (typeof from === 'object' ? from : [])),
  };
}

/** Skips the next order of an older representation: the database refuses its new content. */
export async function skipNext(
  scope: WriteScope,
  after: progress.Position,
  reason: string,
): Promise<Rerendered> {
  const { stale, ...part } = await nextPart(scope, after, 1);
  const rows = await lockStale(scope, stale);
  await progress.mark(scope, stale, REPRESENTATION);
  const unread = rows.map((stored) => unreadOf(stored, reason, ''));
  return { ...part, changed: 0, undocumented: 0, unread };
}

async function nextPart(scope: WriteScope, after: progress.Position, most: number) {
  await holdClock(scope);
  const keys = await progress.keysAfter(scope, after, REPRESENTATION, KEYS_AT_ONCE);
  const part = upToStale(keys, most);
  const last = part.at(-1);
  return {
    stale: part.filter(({ is_stale }) => is_stale).map(identityOf),
    visited: part.length,
    last: last ? identityOf(last) : null,
    isEnd: part.length === keys.length && keys.length < KEYS_AT_ONCE,
  };
}

async function renderAll(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
  read: ReadDocument,
): Promise<Rendering[]> {
  const rows = await lockStale(scope, orders);
  const accounts = Map.groupBy(
    rows,
    ({ marketplace, account_id }) => `${marketplace} ${account_id}`,
  );
  const rendered: Rendering[] = [];
  for (const theirs of accounts.values()) {
    const [first] = theirs as [StaleVersion];
    const account = identityOf(first);
    const documents = await lastDocuments(
      scope,
      account,
      theirs.map(({ id }) => id),
    );
    for (const stored of theirs) {
      const document = documents.get(stored.id);
      // The source's later changes had no document.
      const isLast = document && compareInstants(document.recordedAt, stored.told_at) >= 0;
      rendered.push(isLast ? renderOne(stored, document.text, read) : fromStored(stored));
    }
  }
  return rendered;
}

function renderOne(stored: StaleVersion, raw: string, readDocument: ReadDocument): Rendering {
  const { marketplace, accountId } = identityOf(stored);
  const read = readDocument(marketplace, raw, stored.fetched_at);
  if (!read) return fromStored(stored);
  if (!read.ok) return fromStored(stored, unreadOf(stored, read.reason, raw));
  if (read.item.id !== stored.id)
    return fromStored(stored, unreadOf(stored, 'id: names another order', raw));
  const order = { ...read.item, marketplace, accountId, connectionId: stored.connection_id };
  return { stored, candidate: reread(order, stored), from: 'document' };
}

function fromStored(stored: StaleVersion, from: Rendering['from'] = 'stored'): Rendering {
  return { stored, candidate: asStored(stored), from };
}

/** @returns how many changed their content */
async function keep(
  scope: WriteScope,
  renderings: readonly Rendering[],
  listeners: readonly OrderListener[],
): Promise<number> {
  const different = renderings.filter((rendering) => !saysTheSame(rendering));
  if (different.length > 0)
    await writeOrders(scope, await takeClock(scope, different.length), different, listeners);
  await progress.mark(
    scope,
    renderings.filter(saysTheSame).map(({ stored }) => identityOf(stored)),
    REPRESENTATION,
  );
  return different.length;
}

function saysTheSame({ stored, candidate }: Rendering): boolean {
  return (
    candidate.fingerprint === stored.fingerprint &&
    renderList(candidate.order, stored.last_updated) === stored.list_json
  );
}

/** The first keys, up to the last one of so many stale ones. */
function upToStale(keys: readonly progress.Key[], most: number): readonly progress.Key[] {
  let stale = 0;
  const end = keys.findIndex(({ is_stale }) => is_stale && ++stale === most);
  return end < 0 ? keys : keys.slice(0, end + 1);
}

function unreadOf(stored: StaleVersion, reason: string, raw: string): UnreadDocument {
  const { connection_id: connectionId, id: externalId, is_buyer_forgotten } = stored;
  return { connectionId, externalId, reason, raw: is_buyer_forgotten ? '' : raw };
}
