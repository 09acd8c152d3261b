import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** An archive of files, by their names. */
export async function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  { compress = true } = {},
): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content as string), name, { compress });
  zip.end();
  return buffer(zip.outputStream) as Promise<Buffer<ArrayBuffer>>;
}

/** The names of an archive's files. @throws where it is not whole */
export async function namesIn(zip: Buffer): Promise<string[]> {
  const names: string[] = [];
  for await (const { fileName } of (await fromBufferPromise(zip)).eachEntry()) names.push(fileName);
  return names;
}

/**
 * The same archive with a text for another of the same length: names and figures that a library
 * would not write.
 */
export function rewritten(zip: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('the archive would have another length');
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** The same archive whose list gives files of this many bytes another size. */
export function claiming(zip: Buffer, bytes: number, claimed: number): Buffer {
  const [from, to] = [bytes, claimed].map((size) => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(size);
    return word.toString('latin1');
  });
  return rewritten(zip, from ?? '', to ?? '');
}
