import {
  type Entry,
  fromBufferPromise,
  getFileNameLowLevel,
  validateFileName,
  type ZipFile,
} from 'yauzl';
import { invalid } from '../../../platform/failure.ts';
import { DocumentRefusal, type RefusalReason } from '../xml/refusal.ts';
import { MOST_BYTES } from '../xml/walk.ts';
import { type PackedFile, packFile, type RefusedFile } from './files.ts';

/** Of what is sent. */
export const MOST_UPLOADED_BYTES = 32 * 1_024 * 1_024;
const MOST_FILES = 2_000;
const MOST_UNPACKED_BYTES = 100 * 1_024 * 1_024;
/** XML of one repeated line is packed to a fiftieth. */
const MOST_RATIO = 100;
const LONGEST_NAME = 500;

/** What macOS and Windows add of their own, such as `__MACOSX/._factura.xml`. */
const OF_SYSTEMS = /(^|[\\/])(__MACOSX[\\/]|(\._[^\\/]*|\.DS_Store|Thumbs\.db)$)/i;
const STORED = 0;
const DEFLATED = 8;
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006'];

/**
 * The files of an upload, an XML or a ZIP of them. Nothing is unpacked: the archive's own list says
 * how large its files are. @param name of an XML
 * @throws Failure invalid_request where the archive as a whole is refused
 */
export async function filesOf(
  bytes: Buffer,
  name: string,
): Promise<readonly (PackedFile | RefusedFile)[]> {
  if (!isArchive(bytes)) return [packFile(name, bytes)];
  try {
    const archive = await fromBufferPromise(bytes, { decodeStrings: false });
    return await filesIn(archive, bytes);
  } catch (cause) {
    if (cause instanceof RefusedArchive) throw invalid('body', cause.message);
    // Each error of the library is about the archive: its bytes are in memory.
    throw Object.assign(invalid('body', 'El ZIP está dañado o incompleto.'), { cause });
  }
}

export function isArchive(bytes: Buffer): boolean {
  return BEGINNINGS.includes(bytes.toString('latin1', 0, 4));
}

class RefusedArchive extends Error {}

async function filesIn(
  archive: ZipFile,
  bytes: Buffer,
): Promise<readonly (PackedFile | RefusedFile)[]> {
  const files: (PackedFile | RefusedFile)[] = [];
  let [unpacked, packed] = [0, 0];
  for await (const entry of archive.eachEntry()) {
    const name = nameOf(entry);
    if (name.endsWith('/') || OF_SYSTEMS.test(name)) continue;
    unpacked += entry.uncompressedSize;
    packed += entry.compressedSize;
    if (files.length === MOST_FILES)
      throw new RefusedArchive('El ZIP admite hasta 2,000 archivos.');
    // Entries that share their bytes are a bomb.
    if (unpacked > MOST_UNPACKED_BYTES || packed > bytes.byteLength)
      throw new RefusedArchive('El ZIP admite hasta 100 MB de archivos ya descomprimidos.');
    const shown = name.slice(0, LONGEST_NAME);
    const reason = reasonOf(name, entry);
    if (reason) files.push({ name: shown, refusal: new DocumentRefusal(reason) });
    else files.push(await packedOf(archive, bytes, shown, entry));
  }
  if (files.length === 0) throw new RefusedArchive('El ZIP no trae archivos.');
  return files;
}

/** Some programs of Windows write backslashes between folders. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

/** Why a file is set aside without a look at it. */
function reasonOf(name: string, entry: Entry): RefusalReason | null {
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  if (validateFileName(name) !== null || name.includes('\0')) return 'ruta_insegura';
  if (!/\.xml$/i.test(name)) return 'no_es_xml';
  if (entry.isEncrypted()) return 'cifrado';
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) return 'compresion';
  if (uncompressedSize > MOST_BYTES) return 'demasiado_grande';
  if (uncompressedSize > compressedSize * MOST_RATIO) return 'compresion_excesiva';
  return null;
}

async function packedOf(
  archive: ZipFile,
  bytes: Buffer,
  name: string,
  entry: Entry,
): Promise<PackedFile | RefusedFile> {
  const from = await contentOffsetOf(archive, entry);
  if (from === null) return { name, refusal: new DocumentRefusal('danado') };
  const content = bytes.subarray(from, from + entry.compressedSize);
  if (entry.compressionMethod === STORED) return { ...packFile(name, content), crc: entry.crc32 };
  return { name, size: entry.uncompressedSize, crc: entry.crc32, packed: content };
}

/** Where the content of a file begins; null = its own header is damaged, others may be whole. */
async function contentOffsetOf(archive: ZipFile, entry: Entry): Promise<number | null> {
  try {
    const header = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
    return header.fileDataStart;
  } catch {
    return null;
  }
}
