import { crc32, deflateRawSync, inflateRaw } from 'node:zlib';
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

export function pack(name: string, bytes: Buffer): PackedFile {
  return { name, size: bytes.byteLength, crc: crc32(bytes), packed: deflateRawSync(bytes) };
}

/** Never takes more memory than the file's size. @throws DocumentRefusal */
export async function unpack({ packed, size, crc }: PackedFile): Promise<Buffer> {
  const bytes = await inflated(packed, size);
  if (bytes.byteLength !== size || crc32(bytes) !== crc) throw new DocumentRefusal('danado');
  return bytes;
}

function inflated(packed: Buffer, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    inflateRaw(packed, { maxOutputLength: Math.max(1, size) }, (cause, bytes) => {
      if (cause) reject(Object.assign(new DocumentRefusal('danado'), { cause }));
      else resolve(bytes);
    });
  });
}
