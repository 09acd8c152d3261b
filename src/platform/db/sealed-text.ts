import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Vault } from './vault.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** More effort would cost more time than it saves room. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Compressed on another thread, then sealed for its place. @throws SealError without a key */
export async function sealText(
  vault: Vault,
  place: readonly string[],
  text: string,
): Promise<Buffer> {
  return vault.seal(place, await compress(text, QUICKLY));
}

/** @throws SealError where the box was altered or moved, or its key is not at hand */
export async function openText(
  vault: Vault,
  place: readonly string[],
  box: Buffer,
): Promise<string> {
  return (await decompress(vault.open(place, box))).toString();
}
