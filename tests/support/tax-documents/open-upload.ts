/**
 * Reads the file that it is given as an upload, in a process of its own, and writes as one line of
 * JSON what became of it, the milliseconds, and the megabytes more that the process had at most.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { filesOf } from '../../../src/features/cfdi/upload/archive.ts';
import { type PackedFile, packFile } from '../../../src/features/cfdi/upload/files.ts';
import { type DocumentReader, reading } from '../../../src/features/cfdi/xml/reading.ts';
import { DocumentRefusal } from '../../../src/features/cfdi/xml/refusal.ts';
import { aCfdi, folioOf } from '../cfdi-files.ts';

/** What became of an upload. */
export interface Opened {
  /** The reason of each refused file, and the folio of each other one. */
  readonly results: readonly string[];
  /** What is said of an archive that is refused as a whole. */
  readonly message: string | null;
  readonly milliseconds: number;
  readonly megabytes: number;
}

const bytes = readFileSync(process.argv[2] ?? '');
const opened = await reading(async (reader): Promise<Opened> => {
  // What the first document loads does not count.
  await reader.readPacked([packFile('a.xml', Buffer.from(aCfdi({ uuid: folioOf(1) })))]);
  writeFileSync('/proc/self/clear_refs', '5');
  const before = megabytes('VmRSS');
  const beganAt = performance.now();
  const found = await open(reader);
  const milliseconds = performance.now() - beganAt;
  return { ...found, milliseconds, megabytes: megabytes('VmHWM') - before };
});
process.stdout.write(`${JSON.stringify(opened)}\n`);

async function open(reader: DocumentReader): Promise<Pick<Opened, 'results' | 'message'>> {
  try {
    const files = await filesOf(bytes, 'a.xml');
    // In the product another process may read what this one took, much later.
    globalThis.gc?.();
    const results: string[] = [];
    for (const file of files) results.push(await resultOf(reader, file));
    return { results, message: null };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { results: [], message: error.message };
  }
}

async function resultOf(
  reader: DocumentReader,
  file: PackedFile | { readonly refusal: DocumentRefusal },
): Promise<string> {
  if ('refusal' in file) return file.refusal.reason;
  const [result] = await reader.readPacked([file]);
  return result instanceof DocumentRefusal ? result.reason : (result?.record.uuid ?? '');
}

/** Of this process, as Linux counts it: what it has, or had at most since it was asked last. */
function megabytes(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}
