import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Vault } from './vault.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** More effort would cost more time than it saves room. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/**
 * Compressed on another thread, then sealed with its binding; a string as its UTF-8.
 * @throws SealError without a key
 */
export async function sealText(
  vault: Vault,
  binding: readonly string[],
  text: string | Uint8Array,
): Promise<Buffer> {
  return vault.seal(binding, await compress(text, QUICKLY));
}

/** @throws SealError where the box was altered or moved, or its key is not at hand */
export async function openText(
  vault: Vault,
  binding: readonly string[],
  box: Buffer,
): Promise<string> {
  return (await openBytes(vault, binding, box)).toString();
}

/** @throws SealError where the box was altered or moved, or its key is not at hand */
export function openBytes(vault: Vault, binding: readonly string[], box: Buffer): Promise<Buffer> {
  return decompress(vault.open(binding, box));
}
