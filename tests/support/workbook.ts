import { text as readText } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** A cell as it is stored: numbers keep their digits, and a moment is the number of its day. */
export interface SheetCell {
  readonly text: string;
  readonly isNumber: boolean;
  /** How Excel shows it, such as `#,##0.00`; empty = as it is. */
  readonly format: string;
  readonly isBold: boolean;
}

interface Sheet {
  readonly name: string;
  readonly xml: string;
  readonly rows: readonly (readonly SheetCell[])[];
}

/** Formats that Excel knows by their numbers. */
const KNOWN: Readonly<Record<string, string>> = { '3': '#,##0', '4': '#,##0.00', '49': '@' };

/** The sheets of a workbook in their order. */
export async function sheetsOf(archive: Buffer): Promise<Sheet[]> {
  const parts = await partsOf(archive);
  const styles = stylesIn(parts.get('xl/styles.xml') ?? '');
  const names = (parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g);
  return [...names].map(([, name = ''], at) => {
    const xml = parts.get(`xl/worksheets/sheet${at + 1}.xml`) ?? '';
    const rows = [...xml.matchAll(/<row[^>]*>(.*?)<\/row>/gs)];
    return { name: plain(name), xml, rows: rows.map(([, row = '']) => cellsOf(row, styles)) };
  });
}

/** The rows below the titles, each as its cells by their titles. */
export function recordsOf({ rows }: Sheet): ReadonlyMap<string, SheetCell>[] {
  const [head = [], ...others] = rows;
  return others.map(
    (row) => new Map(head.map(({ text }, at) => [text, row[at] as SheetCell] as const)),
  );
}

/** The parts of an archive, by their names. */
async function partsOf(archive: Buffer): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  const zip = await fromBufferPromise(archive);
  for await (const entry of zip.eachEntry())
    parts.set(entry.fileName, await readText(await zip.openReadStreamPromise(entry)));
  return parts;
}

type Style = Pick<SheetCell, 'format' | 'isBold'>;

function stylesIn(xml: string): readonly Style[] {
  const codes = new Map(
    [...xml.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [
      id,
      code?.replaceAll('\\', ''),
    ]),
  );
  const [, cells = ''] = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(xml) ?? [];
  const bold = [...xml.matchAll(/<font>(.*?)<\/font>/gs)].map(([font]) => font.includes('<b/>'));
  return [...cells.matchAll(/<xf ([^>]*)>/g)].map(([, given = '']) => {
    const id = /numFmtId="(\d+)"/.exec(given)?.[1] ?? '0';
    const font = Number(/fontId="(\d+)"/.exec(given)?.[1] ?? 0);
    return { format: codes.get(id) ?? KNOWN[id] ?? '', isBold: bold[font] === true };
  });
}

function cellsOf(row: string, styles: readonly Style[]): SheetCell[] {
  const cells = row.matchAll(
    /<c\/>|<c(?: t="inlineStr")?(?: s="(\d+)")?>(?:<v>(.*?)<\/v>|<is><t[^>]*>(.*?)<\/t><\/is>)<\/c>/gs,
  );
  return [...cells].map(([, style, number, text = '']) => ({
    text: number ?? plain(text),
    isNumber: number !== undefined,
    ...(styles[Number(style ?? 0)] ?? { format: '', isBold: false }),
  }));
}

function plain(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
