import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DocumentRefusal } from './xml/refusal.ts';

/** A file as it is kept, a quarter as large; archives bring it so. */
export interface Packed {
  /** Bytes when it is unpacked. */
  readonly size: number;
  /** Raw deflate. */
  readonly packed: Uint8Array;
}

/** Beyond the bytes, for what cannot be packed and for the end of it. */
const SPARE = 512;

export function pack(bytes: Uint8Array): Packed & { readonly packed: Buffer } {
  const size = bytes.byteLength;
  // In one piece of unused memory, of which only what was packed is kept.
  return { size, packed: Buffer.from(deflateRawSync(bytes, { chunkSize: size + SPARE })) };
}

/** Never takes more memory than the file's size. @throws DocumentRefusal */
export function unpack({ packed, size }: Packed): Buffer {
  try {
    // In one piece.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size), chunkSize: size + SPARE });
  } catch (cause) {
    throw Object.assign(new DocumentRefusal('danado'), { cause });
  }
}
