import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import { SealError } from '../../platform/seal.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './order.ts';
import * as store from './store-documents.ts';
import { seal } from './store-sealing.ts';

/** A document in its bundle. */
export interface Kept {
  readonly id: string;
  readonly stamp: Instant;
  readonly text: string;
}

/** No JSON text has one, so it separates two of them. */
const SEPARATOR = '\u001e';
const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/**
 * Documents of an account repeat each other's words; more effort would cost more time than it saves
 * space.
 */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export function lettersOf(documents: readonly Kept[]): number {
  return documents.reduce((letters, { text }) => letters + text.length, 0);
}

/**
 * Compressed on another thread, then sealed.
 * @param recordedAt the stamp of the bundle
 */
export async function pack(
  scope: WriteScope,
  account: AccountOfOrders,
  recordedAt: Instant,
  documents: readonly Kept[],
): Promise<store.Content> {
  const whole = documents.map(({ text }) => text).join(SEPARATOR);
  const ids = documents.map(({ id }) => id);
  const [vault, bytes] = await together([scope.vault(), compress(whole, QUICKLY)]);
  return {
    order_ids: ids,
    stamps: documents.map(({ stamp }) => stamp),
    documents: vault.seal(bindingOf(account, recordedAt, ids), bytes),
  };
}

/** @throws SealError where a bundle was altered, or moved to another account or stamp */
export async function unpack(
  scope: ReadScope,
  account: AccountOfOrders,
  bundle: store.Bundle,
): Promise<Kept[]> {
  const { order_ids, recorded_at, documents } = bundle;
  const binding = bindingOf(account, recorded_at, order_ids);
  const bytes = bundle.is_sealed ? (await scope.vault()).open(binding, documents) : documents;
  const texts = (bundle.is_plain ? bytes : await decompress(bytes)).toString().split(SEPARATOR);
  return order_ids.map((id, index) => ({
    id,
    stamp: bundle.stamps?.[index] ?? recorded_at,
    text: texts[index] as string,
  }));
}

/** Null where it does not open: its content is lost, and must not stop the rest. */
export async function unpackOrNull(
  scope: ReadScope,
  account: AccountOfOrders,
  bundle: store.Bundle,
): Promise<Kept[] | null> {
  try {
    return await unpack(scope, account, bundle);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Keeps these documents of a locked bundle; deletes a bundle without any. */
export async function reduce(
  scope: WriteScope,
  account: AccountOfOrders,
  bundle: store.Bundle,
  left: readonly Kept[],
): Promise<void> {
  if (left.length === bundle.order_ids.length) return;
  if (left.length === 0) return store.remove(scope, account, [bundle.recorded_at]);
  const content = await pack(scope, account, bundle.recorded_at, left);
  // A bundle that is not linked yet stays so.
  const kept = bundle.stamps ? content : { ...content, stamps: null };
  await store.replace(scope, account, bundle.recorded_at, kept);
}

/** Seals a locked bundle of a former version unchanged. */
export async function sealBundle(
  scope: WriteScope,
  account: AccountOfOrders,
  { recorded_at, order_ids, documents }: store.Bundle,
): Promise<void> {
  const box = (await scope.vault()).seal(bindingOf(account, recorded_at, order_ids), documents);
  await seal(scope, account, recorded_at, box);
}

/**
 * What a box is bound to; a box that is moved elsewhere, or given other orders, does not open.
 */
function bindingOf(
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
  orderIds: readonly string[],
): string[] {
  return ['order_documents', marketplace, accountId, formatMicros(recordedAt), ...orderIds];
}
