import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './store.ts';
import * as store from './store-documents.ts';

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
/** Documents of an account repeat each other's words; more effort would cost more time than it saves room. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export function lettersOf(documents: readonly Kept[]): number {
  return documents.reduce((letters, { text }) => letters + text.length, 0);
}

/** Compressed on another thread. */
export async function pack(documents: readonly Kept[]): Promise<store.Content> {
  const whole = documents.map(({ text }) => text).join(SEPARATOR);
  return {
    order_ids: documents.map(({ id }) => id),
    stamps: documents.map(({ stamp }) => stamp),
    documents: await compress(whole, QUICKLY),
  };
}

export async function unpack(bundle: store.Bundle): Promise<Kept[]> {
  const bytes = bundle.is_plain ? bundle.documents : await decompress(bundle.documents);
  const texts = bytes.toString().split(SEPARATOR);
  return bundle.order_ids.map((id, place) => ({
    id,
    stamp: bundle.stamps?.[place] ?? bundle.recorded_at,
    text: texts[place] as string,
  }));
}

/** Keeps these documents of a locked bundle; one without any is removed. */
export async function reduce(
  scope: WriteScope,
  account: AccountOfOrders,
  bundle: store.Bundle,
  left: readonly Kept[],
): Promise<void> {
  if (left.length === bundle.order_ids.length) return;
  if (left.length === 0) return store.remove(scope, account, [bundle.recorded_at]);
  const content = await pack(left);
  // One that is not linked yet stays so.
  const kept = bundle.stamps ? content : { ...content, stamps: null };
  await store.replace(scope, account, bundle.recorded_at, kept);
}
