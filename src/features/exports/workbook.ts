import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Options, ZipFile } from 'yazl';
import type { Cell } from './columns.ts';
import {
  contentTypesXml,
  type Look,
  PACKAGE_RELATIONS,
  PLAIN,
  rowXml,
  type SheetSize,
  workbookRelationsXml,
  workbookXml,
} from './workbook-xml.ts';

/** A spreadsheet in the format of Excel (ECMA-376), written row by row. */
interface Workbook {
  addRows(rows: readonly (readonly Cell[])[]): Promise<void>;
  /** @param last sheets after those of the rows */
  end(last?: readonly LastSheet[]): Promise<void>;
  /** Frees what it holds where its end is not written. */
  abandon(): void;
  /** How many sheets the rows are on so far. */
  sheets(): number;
}

interface LastSheet {
  readonly name: string;
  readonly xml: string;
}

/** Excel shows no more rows in a sheet. */
const MOST_ROWS = 1_048_576;
/** An archive's part of 4 GB needs a form that not every reader knows. */
const MOST_CHARACTERS = 1_000_000_000;
/** Nor more characters in its name. */
const LONGEST_NAME = 31;
/** The same archive whenever it is written. */
const ALWAYS: Partial<Options> = {
  // biome-ignore lint/style/noRestrictedGlobals: the library takes no other kind of time
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
  compress: true,
};

interface Sheet {
  readonly stream: PassThrough;
  readonly name: string;
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
  { look = PLAIN, mostRows = MOST_ROWS }: { readonly look?: Look; readonly mostRows?: number } = {},
): Workbook {
  const zip = new ZipFile();
  const written = writeAll(zip, write);
  // The next write, or the end, throws it.
  written.catch(() => {});
  const first = rowXml(head, look, look.headRow);
  const sheets: Sheet[] = [];

  const put = async ({ stream }: Sheet, xml: string) => {
    if (!stream.write(xml)) await Promise.race([once(stream, 'drain'), written]);
  };
  const begin = (): Sheet => {
    const stream = new PassThrough();
    const begun = { stream, name: nameOf(name, sheets.length), rows: 1, characters: 0 };
    sheets.push(begun);
    zip.addReadStream(stream, pathOf(sheets.length), ALWAYS);
    stream.write(look.begins + first);
    return begun;
  };
  let sheet = begin();

  return {
    async addRows(rows) {
      let xml = '';
      for (const row of rows) {
        if (sheet.rows === mostRows || sheet.characters > MOST_CHARACTERS) {
          await put(sheet, xml);
          xml = '';
          sheet.stream.end(look.ends(sheet.rows));
          sheet = begin();
        }
        const one = rowXml(row, look);
        sheet.rows++;
        sheet.characters += one.length;
        xml += one;
      }
      await put(sheet, xml);
    },
    async end(last = []) {
      sheet.stream.end(look.ends(sheet.rows));
      const names = [...sheets, ...last].map((one) => one.name);
      const count = names.length;
      for (const [at, { xml }] of last.entries())
        zip.addBuffer(Buffer.from(xml), pathOf(sheets.length + at + 1), ALWAYS);
      for (const [path, xml] of [
        ['[Content_Types].xml', contentTypesXml(count)],
        ['_rels/.rels', PACKAGE_RELATIONS],
        ['xl/workbook.xml', workbookXml(names, definedIn(sheets, look))],
        ['xl/_rels/workbook.xml.rels', workbookRelationsXml(count)],
        ['xl/styles.xml', look.styles],
      ] as const)
        zip.addBuffer(Buffer.from(xml), path, ALWAYS);
      zip.end();
      await written;
    },
    abandon: () => void sheet.stream.destroy(),
    sheets: () => sheets.length,
  };
}

async function writeAll(zip: ZipFile, write: (bytes: Buffer) => Promise<unknown>): Promise<void> {
  for await (const bytes of zip.outputStream) await write(bytes as Buffer);
}

function pathOf(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

function nameOf(name: string, at: number): string {
  const end = at === 0 ? '' : ` ${at + 1}`;
  return name.slice(0, LONGEST_NAME - end.length) + end;
}

function definedIn(sheets: readonly SheetSize[], look: Look): string {
  return sheets.map((sheet, at) => look.namesOf(at, sheet)).join('');
}
