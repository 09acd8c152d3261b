import { resolve } from 'node:path';
import {
  EXPORTS,
  type Exported,
  type ExportResult,
  FORMATS,
  type FormatName,
  runExport,
  thingsIn,
  WHOLE,
} from '../features/exports/index.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import { numberInWords } from './lines.ts';
import { freeFile, unwritable } from './out-file.ts';

const KINDS = Object.keys(EXPORTS).join('|');
const NAMES = Object.keys(FORMATS).join('|');

export const exportCommand: Command = {
  usage: `export --organization ID --what ${KINDS} --format ${NAMES} --out ARCHIVO`,
  about:
    'Escribe en un archivo todo lo que hay, tal como estaba en un mismo instante. Repite la orden para seguir una cortada.',
  options: ['organization', 'what', 'format', 'out'],
  required: ['organization', 'what', 'format', 'out'],
  async run({ organization: id, what, format, out = '' }) {
    const kind = oneOf<Exported>('what', what, EXPORTS);
    const form = oneOf<FormatName>('format', format, FORMATS);
    const file = await freeFile(resolve(out));
    const result = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      const progress = progressOn(process.stderr, thingsIn(kind, 0));
      const lock = { kind: 'export', subject: file } as const;
      const request = {
        organizationId: organization.id,
        what: kind,
        format: form,
        terms: WHOLE,
        to: { file },
      };
      return database.locks.holdingIfFree(lock, (assertHeld) =>
        runExport({ address: database.address, keyring: null }, request, (rows) => {
          assertHeld();
          progress(rows);
        }).catch((error) => {
          throw unwritable(error, file);
        }),
      );
    });
    if (!result) throw invalid('out', 'Otra exportación está escribiendo ese archivo.');
    const { rows, bytes, asOf } = result;
    return { json: { rows, bytes, as_of: asOf }, text: inWords(result, kind, file) };
  },
};

function inWords({ rows, bytes, asOf }: ExportResult, kind: Exported, file: string): string {
  return `${numberInWords(rows)} ${thingsIn(kind, rows)} en ${file} (${numberInWords(bytes)} bytes), tal como estaban en ${asOf}.`;
}

function oneOf<Name extends string>(
  option: string,
  given: string | undefined,
  table: Readonly<Record<Name, unknown>>,
): Name {
  if (given !== undefined && Object.hasOwn(table, given)) return given as Name;
  throw invalid(option, `--${option} debe ser uno de: ${Object.keys(table).join(', ')}.`);
}

/** Draws on terminals alone; redirected, it would fill a file. */
function progressOn(out: NodeJS.WriteStream, things: string): (rows: number) => void {
  if (!out.isTTY) return () => {};
  return (rows) => void out.write(`\r${numberInWords(rows)} ${things}\x1b[K`);
}
