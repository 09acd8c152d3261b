import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderChange, OrderIdentity } from './order.ts';
import { type AccountOfOrders, holdClock } from './store.ts';
import * as store from './store-documents.ts';

/** What a marketplace said of an order when it changed. */
interface OrderDocument {
  readonly recordedAt: Instant;
  /** As it was received. */
  readonly text: string;
}

/** No JSON text has one, so it stands only between two of them. */
const SEPARATOR = '\u001e';
const pack = promisify(brotliCompress);
const unpack = promisify(brotliDecompress);
/** Documents of one account repeat each other's words; more effort would cost more time than room. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Keeps the documents that these changes came with, an entry an account. */
export async function keepDocuments(scope: WriteScope, changes: readonly OrderChange[]): Promise<void> {
  const received = changes.flatMap(({ after: { marketplace, accountId, id, raw }, lastUpdated }) =>
    raw === null ? [] : [{ account: { marketplace, accountId }, id, text: raw, lastUpdated }],
  );
  const accounts = Map.groupBy(received, ({ account }) => `${account.marketplace} ${account.accountId}`);
  await together(
    [...accounts.values()].map(async (ofOne) => {
      const [{ account }] = ofOne as [(typeof ofOne)[number]];
      const { lastUpdated } = ofOne.at(-1) as (typeof ofOne)[number];
      await store.add(scope, account, await entryOf(lastUpdated, ofOne));
    }),
  );
}

/** What the marketplace said of an order, each time that it changed; the oldest first. */
export async function documentsOf(
  scope: ReadScope,
  { id, ...account }: OrderIdentity,
): Promise<OrderDocument[]> {
  const entries = await store.entriesWith(scope, account, [id]);
  return Promise.all(
    entries.map(async (entry) => {
      const text = (await textsOf(entry))[entry.order_ids.indexOf(id)] as string;
      return { recordedAt: entry.recorded_at, text };
    }),
  );
}

/** Forgets all that was received of these orders of an account. Whoever calls it has the clock. */
export async function forgetDocuments(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  const forgotten = new Set(ids);
  const empty: store.Entry[] = [];
  for (const entry of await store.entriesWith(scope, account, ids)) {
    const texts = await textsOf(entry);
    const left = entry.order_ids
      .map((id, place) => ({ id, text: texts[place] as string }))
      .filter(({ id }) => !forgotten.has(id));
    if (left.length === 0) empty.push(entry);
    else await store.replace(scope, account, await entryOf(entry.recorded_at, left));
  }
  await store.remove(scope, account, empty);
}

/** Forgets all that was received of an account's orders. */
export async function forgetAllDocuments(scope: WriteScope, account: AccountOfOrders): Promise<void> {
  await holdClock(scope);
  await store.removeAll(scope, account);
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
