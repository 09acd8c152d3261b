/** Loaded with the first PDF of several labels: the library has 200 KB. */
import { PDFDocument } from '@cantoo/pdf-lib';

interface Merged {
  /** Null = no file could be read. */
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** Positions of the files that could not be read. */
  readonly unread: readonly number[];
}

/** The pages of several PDF files as one file, in their order. */
export async function mergePdfs(files: readonly Uint8Array[]): Promise<Merged> {
  const whole = await PDFDocument.create();
  const unread: number[] = [];
  for (const [position, file] of files.entries()) {
    const one = await readPdf(file);
    if (!one) unread.push(position);
    else for (const page of await whole.copyPages(one, one.getPageIndices())) whole.addPage(page);
  }
  const isEmpty = unread.length === files.length;
  return { file: isEmpty ? null : Uint8Array.from(await whole.save()), unread };
}

async function readPdf(file: Uint8Array): Promise<PDFDocument | null> {
  try {
    const read = await PDFDocument.load(file);
    return read.getPageCount() > 0 ? read : null;
  } catch {
    // The carrier's file; the caller names what is missing.
    return null;
  }
}
