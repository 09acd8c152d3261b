import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
import { fail, invalid } from '../platform/failure.ts';
import { atDesk, type Command, organizationOf } from './command.ts';
import { numberInWords } from './lines.ts';

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
    const file = await placeOf(out);
    const result = await atDesk(async ({ database }) => {
      const organization = await organizationOf(database, id);
      const progress = progressOn(process.stderr, thingsIn(kind, 0));
      const lock = { kind: 'export', subject: file } as const;
      const request = {
        organizationId: organization.id,
        ...{ what: kind, format: form, terms: WHOLE, to: { file } },
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

/** @throws Failure not_found, invalid_request */
async function placeOf(out: string): Promise<string> {
  const file = resolve(out);
  const [folder, found] = await Promise.all([kindOf(dirname(file)), kindOf(file)]);
  if (folder !== 'folder')
    throw fail('not_found', { message: `No existe la carpeta ${dirname(file)}.` });
  if (found === 'folder') throw invalid('out', `${file} es una carpeta; indica un archivo.`);
  return file;
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing';
    throw error;
  }
}

/** A Failure of what an operator can mend, else the error itself. */
function unwritable(error: unknown, file: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return fail('service_unavailable', {
      message: `No hay espacio en el disco para ${file}. Libera espacio y repite la orden.`,
    });
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return invalid('out', `No se puede escribir en ${file}.`);
  return error;
}

/** Draws on terminals alone; redirected, it would fill a file. */
function progressOn(out: NodeJS.WriteStream, things: string): (rows: number) => void {
  if (!out.isTTY) return () => {};
  return (rows) => void out.write(`\r${numberInWords(rows)} ${things}\x1b[K`);
}
