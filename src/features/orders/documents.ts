import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderChange, OrderIdentity } from './order.ts';
import type { AccountOfOrders } from './store.ts';
import * as store from './store-documents.ts';

/** What a marketplace said of an order when it changed. */
interface OrderDocument {
  /** The stamp of the last order that was written with it. */
  readonly recordedAt: Instant;
  /** JSON, its numbers as they came. */
  readonly text: string;
}

/** No JSON text has one, so it stands only between two of them. */
const SEPARATOR = '\u001e';
const pack = promisify(brotliCompress);
const unpack = promisify(brotliDecompress);
/** Documents of one account repeat each other's words; more effort would cost more time than it saves room. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** Keeps the documents that these changes came with, an entry an account. */
export async function keepDocuments(scope: WriteScope, changes: readonly OrderChange[]): Promise<void> {
  const received = changes.flatMap(({ after, lastUpdated }) =>
    after.raw === null ? [] : [{ account: after, id: after.id, text: after.raw, recordedAt: lastUpdated }],
  );
  const accounts = Map.groupBy(received, ({ account }) => `${account.marketplace} ${account.accountId}`);
  await together(
    [...accounts.values()].map(async (documents) => {
      const { account, recordedAt } = documents.at(-1) as (typeof documents)[number];
      await store.add(scope, account, await entryOf(recordedAt, documents));
    }),
  );
}

/** What the marketplace said of an order, each time that it changed; the oldest first. */
export async function documentsOf(
  scope: ReadScope,
  { id, ...account }: OrderIdentity,
): Promise<OrderDocument[]> {
  const entries = await store.entriesWith(scope, account, [id], { lock: false });
  return Promise.all(
    entries.map(async (entry) => {
      const text = (await textsOf(entry))[entry.order_ids.indexOf(id)] as string;
      return { recordedAt: entry.recorded_at, text };
    }),
  );
}

/**
 * Forgets what was said of these orders of an account. What is said of them later is kept, unless their buyers were
 * forgotten for good.
 */
export async function forgetDocuments(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  const forgotten = new Set(ids);
  const empty: store.Entry[] = [];
  for (const entry of await store.entriesWith(scope, account, ids, { lock: true })) {
    const texts = await textsOf(entry);
    const left = entry.order_ids
      .map((id, place) => ({ id, text: texts[place] as string }))
      .filter(({ id }) => !forgotten.has(id));
    if (left.length === 0) empty.push(entry);
    else await store.replace(scope, account, await entryOf(entry.recorded_at, left));
  }
  await store.remove(scope, account, empty);
}

/** Forgets what was said of all orders of an account. */
export function forgetAllDocuments(scope: WriteScope, account: AccountOfOrders): Promise<void> {
  return store.removeAll(scope, account);
}

async function entryOf(
  recordedAt: Instant,
  documents: readonly { readonly id: string; readonly text: string }[],
): Promise<store.Entry> {
  const text = documents.map((document) => document.text).join(SEPARATOR);
  return {
    recorded_at: recordedAt,
    order_ids: documents.map(({ id }) => id),
    documents: await pack(text, QUICKLY),
    is_plain: false,
  };
}

async function textsOf({ documents, is_plain }: store.Entry): Promise<string[]> {
  const bytes = is_plain ? documents : await unpack(documents);
  return bytes.toString().split(SEPARATOR);
}
