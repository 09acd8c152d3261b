import { crc32 } from 'node:zlib';
import { type Packed, pack, unpack } from '../packed.ts';
import { DocumentRefusal } from '../xml/refusal.ts';

/** What is needed to unpack a file of an archive, and to see that it is whole. */
export interface PackedContent extends Packed {
  /** CRC-32 of the unpacked bytes, as its archive says. */
  readonly crc: number;
}

/** A file of an upload as it waits to be read. */
export interface PackedFile extends PackedContent {
  readonly name: string;
  readonly packed: Buffer;
}

/** A file that is set aside before it is unpacked. */
export interface RefusedFile {
  readonly name: string;
  readonly refusal: DocumentRefusal;
}

export function packFile(name: string, bytes: Buffer): PackedFile {
  return { name, ...pack(bytes), crc: crc32(bytes) };
}

/** @throws DocumentRefusal where it is not what its archive says */
export function unpackFile({ crc, ...file }: PackedContent): Buffer {
  const bytes = unpack(file);
  if (bytes.byteLength !== file.size || crc32(bytes) !== crc) throw new DocumentRefusal('danado');
  return bytes;
}
