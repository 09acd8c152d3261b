import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { DocumentRefusal } from '../xml/refusal.ts';

/** A file of an upload as it waits to be read. */
export interface PackedFile {
  readonly name: string;
  /** Bytes when it is unpacked, as its archive says. */
  readonly size: number;
  /** CRC-32 of those bytes. */
  readonly crc: number;
  /** Raw deflate. */
  readonly packed: Buffer;
}

/** A file that is set aside before it is unpacked. */
export interface RefusedFile {
  readonly name: string;
  readonly refusal: DocumentRefusal;
}

/** Beyond the bytes, for what cannot be packed and for the end of it. */
const SPARE = 512;

export function pack(name: string, bytes: Buffer): PackedFile {
  const size = bytes.byteLength;
  // In one piece of unused memory, of which only what was packed is kept.
  const packed = Buffer.from(deflateRawSync(bytes, { chunkSize: size + SPARE }));
  return { name, size, crc: crc32(bytes), packed };
}

/** What is needed to unpack a file. */
export type PackedContent = Pick<PackedFile, 'size' | 'crc'> & { readonly packed: Uint8Array };

/** Never takes more memory than the file's size. @throws DocumentRefusal */
export function unpack({ packed, size, crc }: PackedContent): Buffer {
  const bytes = inflated(packed, size);
  if (bytes.byteLength !== size || crc32(bytes) !== crc) throw new DocumentRefusal('danado');
  return bytes;
}

function inflated(packed: Uint8Array, size: number): Buffer {
  try {
    // In one piece, which a message can hand over.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size), chunkSize: size + SPARE });
  } catch (cause) {
    throw Object.assign(new DocumentRefusal('danado'), { cause });
  }
}
