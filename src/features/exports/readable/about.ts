import { timezones } from '../../../words/codes.ts';
import type { Cell } from '../columns.ts';
import { EXPORTS, type Exported, thingsIn } from '../exports.ts';
import type { ExportTerms } from '../terms.ts';
import { DAYS_OF, narrowedInWords, periodInWords, TITLES } from '../words.ts';
import { LONGEST_CELL } from '../workbook-xml.ts';
import type { ReadableColumn, Reader } from './column.ts';

export const ABOUT = 'Acerca de este archivo';

interface Written {
  readonly what: Exported;
  readonly terms: ExportTerms;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
  readonly rows: number;
  /** On which these rows are. */
  readonly sheets: number;
  /** Cells that were cut, as Excel takes no longer ones. */
  readonly cut: number;
  readonly columns: readonly ReadableColumn[];
  readonly reader: Reader;
}

/** The rows of the sheet that says what the file holds, and what each column means. */
export function aboutRows({
  what,
  terms,
  asOf,
  rows,
  sheets,
  cut,
  columns,
  reader,
}: Written): Cell[][] {
  const { organization, timezone } = reader;
  const narrowed = narrowedInWords(terms);
  const zones: Readonly<Record<string, string>> = timezones;
  const facts: readonly (readonly [string, Cell])[] = [
    ['Organización', wrapped(organization)],
    ['Contenido', wrapped(TITLES[what])],
    ['Periodo', wrapped(periodOf(what, terms))],
    ...(narrowed === null ? [] : [['Filtro', wrapped(narrowed)] as const]),
    ['Datos al', { number: reader.serialOf(asOf), form: 'moment' }],
    ['Zona horaria', wrapped(`${zones[timezone] ?? timezone}. Es la de todas las horas.`)],
    [
      'Filas',
      wrapped(`${rows.toLocaleString('es-MX')} ${thingsIn(what, rows)}${onSheets(sheets)}`),
    ],
    ...(cut === 0 ? [] : [['Celdas recortadas', wrapped(cutInWords(cut))] as const]),
    ...(terms.view === 'whole' ? [] : [WITHOUT_EARNINGS]),
  ];
  return [
    ...facts.map(([name, value]) => [titled(name), value]),
    [],
    [titled('Columna'), titled('Qué significa')],
    ...columns.map(({ title, means }) => [wrapped(title), wrapped(means)]),
  ];
}

const WITHOUT_EARNINGS = [
  'No incluye',
  wrapped('Comisiones, retenciones, neto ni costos: el rol de quien pidió el archivo no los ve.'),
] as const;

function onSheets(sheets: number): string {
  return sheets === 1 ? '' : `, en ${sheets} hojas, porque en una no caben`;
}

function cutInWords(cut: number): string {
  const most = LONGEST_CELL.toLocaleString('es-MX');
  return `${cut.toLocaleString('es-MX')}. Excel admite hasta ${most} caracteres en una celda: las más largas terminan en «…». En CSV vienen completas.`;
}

function periodOf(what: Exported, terms: ExportTerms): string {
  const words = periodInWords(what, terms);
  if (words === null) return 'Todo lo que había al hacer el archivo';
  const { days } = EXPORTS[what];
  const hasDays = days !== null && (terms.from !== null || terms.to !== null);
  return hasDays ? `${words}. ${DAYS_OF[days]}` : words;
}

function wrapped(text: string): Cell {
  return { text, form: 'wrapped' };
}

function titled(text: string): Cell {
  return { text, form: 'head' };
}
