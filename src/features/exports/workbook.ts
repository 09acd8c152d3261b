import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Options, ZipFile } from 'yazl';
import type { Cell } from './columns.ts';
import { isLikeFormula } from './formula.ts';
import {
  cellXml,
  contentTypesXml,
  PACKAGE_RELATIONS,
  SHEET_BEGINS,
  SHEET_ENDS,
  STYLES,
  workbookRelationsXml,
  workbookXml,
} from './workbook-xml.ts';

/** A spreadsheet in the format of Excel (ECMA-376), written row by row. */
interface Workbook {
  addRows(rows: readonly (readonly Cell[])[]): Promise<void>;
  end(): Promise<void>;
  /** Frees what it holds where its end is not written. */
  abandon(): void;
}

/** Excel shows no more rows in a sheet. */
const MOST_ROWS = 1_048_576;
/** An archive's part of 4 GB needs a form that not every reader knows. */
const MOST_CHARACTERS = 1_000_000_000;
/** The same archive whenever it is written. */
const ALWAYS: Partial<Options> = {
  // biome-ignore lint/style/noRestrictedGlobals: the library takes no other kind of time
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
  compress: true,
};

interface Sheet {
  readonly stream: PassThrough;
  rows: number;
  characters: number;
}

/**
 * @param head the cells of the first row of each sheet
 * @param write takes the bytes of the file in their order
 */
export function openWorkbook(
  name: string,
  head: readonly Cell[],
  write: (bytes: Buffer) => Promise<unknown>,
  mostRows = MOST_ROWS,
): Workbook {
  const zip = new ZipFile();
  const written = writeAll(zip, write);
  // The next write, or the end, throws it.
  written.catch(() => {});
  const first = rowXml(head);
  let count = 0;

  const put = async ({ stream }: Sheet, xml: string) => {
    if (!stream.write(xml)) await Promise.race([once(stream, 'drain'), written]);
  };
  const begin = (): Sheet => {
    const stream = new PassThrough();
    zip.addReadStream(stream, `xl/worksheets/sheet${++count}.xml`, ALWAYS);
    stream.write(SHEET_BEGINS + first);
    return { stream, rows: 1, characters: 0 };
  };
  let sheet = begin();

  return {
    async addRows(rows) {
      let xml = '';
      for (const row of rows) {
        if (sheet.rows === mostRows || sheet.characters > MOST_CHARACTERS) {
          await put(sheet, xml);
          xml = '';
          sheet.stream.end(SHEET_ENDS);
          sheet = begin();
        }
        const one = rowXml(row);
        sheet.rows++;
        sheet.characters += one.length;
        xml += one;
      }
      await put(sheet, xml);
    },
    async end() {
      sheet.stream.end(SHEET_ENDS);
      const names = Array.from({ length: count }, (_, at) => (at ? `${name} ${at + 1}` : name));
      for (const [path, xml] of [
        ['[Content_Types].xml', contentTypesXml(count)],
        ['_rels/.rels', PACKAGE_RELATIONS],
        ['xl/workbook.xml', workbookXml(names)],
        ['xl/_rels/workbook.xml.rels', workbookRelationsXml(count)],
        ['xl/styles.xml', STYLES],
      ] as const)
        zip.addBuffer(Buffer.from(xml), path, ALWAYS);
      zip.end();
      await written;
    },
    abandon: () => void sheet.stream.destroy(),
  };
}

async function writeAll(zip: ZipFile, write: (bytes: Buffer) => Promise<unknown>): Promise<void> {
  for await (const bytes of zip.outputStream) await write(bytes as Buffer);
}

function rowXml(cells: readonly Cell[]): string {
  return `<row>${cells.map((cell) => cellXml(cell, isLikeFormula)).join('')}</row>`;
}
