/** A row of a table of text, by the names in its header. */
export type TableRow = Readonly<Record<string, string>>;

/** What finds the fields between each separator. */
const FIELDS = {
  ',': /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|\r|\n|$)/gy,
  ';': /("(?:[^"]|"")*"|[^;\r\n]*)(;|\r\n|\r|\n|$)/gy,
  '\t': /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r\n|\r|\n|$)/gy,
};
type Separator = keyof typeof FIELDS;
const SEPARATORS: readonly Separator[] = [',', ';', '\t'];

/**
 * Reads a report: one header, then rows, with fields between commas, semicolons or tabs, whichever
 * the header has most of. A quoted field may hold separators, line breaks and doubled quotes. A
 * missing field is empty. A column with a translated name is known by the code behind it, as in
 * `Fecha de liquidación (DATE)`.
 */
export function readTable(text: string): TableRow[] {
  const clean = text.replace(/^\uFEFF/, '');
  const header = clean.slice(0, clean.search(/\r|\n|$/));
  const count = (separator: string) => header.split(separator).length;
  const separator = SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best));
  const [names = [], ...rows] = linesOf(clean, separator);
  return rows.map((fields) =>
    Object.fromEntries(names.map((name, index) => [codeOf(name), fields[index]?.trim() ?? ''])),
  );
}

function codeOf(name: string): string {
  return /\(([A-Z][A-Z0-9_]*)\)\s*$/.exec(name)?.[1] ?? name.trim();
}

function linesOf(text: string, separator: Separator): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [whole, value = '', end = ''] of text.matchAll(FIELDS[separator])) {
    line.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === separator) continue;
    // A blank line is none.
    if (line.some((one) => one !== '')) lines.push(line);
    line = [];
    if (whole === '') break;
  }
  return lines;
}
