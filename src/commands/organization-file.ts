import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importFile, linesOf } from '../features/organization-file/index.ts';
import { fail, invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import { numberInWords, openLines } from './lines.ts';
import { freeFile, unwritable } from './out-file.ts';

/** Names of people and addresses are in it. */
const OWNER_ONLY = 0o600;
/** Rows of some hundred bytes are written together. */
const AT_ONCE = 1 << 16;

export const exportOrganization: Command = {
  usage: 'export-organization --organization ID --out ARCHIVO',
  about:
    'Escribe en un archivo todo lo que hay de una organización, tal como está en un mismo instante. Lo cifrado sigue cifrado: se abre con la misma MASTER_KEY. No lleva credenciales, claves ni miembros.',
  options: ['organization', 'out'],
  required: ['organization', 'out'],
  async run({ organization: id, out = '' }) {
    const file = await freeFile(resolve(out));
    const { rows, bytes } = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database
        .within(organization.id)
        .snapshot(null, (scope) => writeLines(file, linesOf(scope)))
        .catch((error) => {
          throw unwritable(error, file);
        });
    });
    return {
      json: { rows, bytes },
      text: `${numberInWords(rows)} filas en ${file} (${numberInWords(bytes)} bytes).`,
    };
  },
};

export const importOrganization: Command = {
  usage: 'import-organization ARCHIVO',
  about:
    'Crea una organización desde el archivo de export-organization, con su mismo identificador. Queda suspendida y con sus cuentas desconectadas; resume la reanuda. Repite la orden para completar una cortada.',
  options: [],
  required: [],
  file: 'one',
  async run(_args, [file = '-']) {
    const { organizationId, rows } = await inContext(async ({ database }) => {
      const { lines, progress } = await openLines(file, 'filas');
      return importFile(database, readable(lines, progress));
    });
    return {
      json: { organization_id: organizationId, rows },
      text: `${numberInWords(rows)} filas. La organización ${organizationId} quedó suspendida: conecta sus cuentas, crea sus claves e invita a sus miembros, y reanúdala con resume.`,
    };
  },
};

type Lines = Awaited<ReturnType<typeof openLines>>['lines'];

async function* readable(lines: Lines, progress: (read: number) => void): AsyncGenerator<string> {
  let read = 0;
  for await (const line of lines) {
    if ('fault' in line) throw invalid('file', line.fault);
    if (line.text === '') continue;
    yield line.text;
    progress(++read);
  }
}

/** The file appears under its name when it is whole. @throws errors of the file system */
async function writeLines(file: string, lines: AsyncIterable<string>) {
  const part = `${file}.part`;
  const handle = await open(part, 'wx', OWNER_ONLY).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw fail('invalid_request', {
      param: 'out',
      message: `Otra exportación escribe ${part}, o quedó cortada: elimínalo y repite la orden.`,
    });
  });
  let count = 0;
  let bytes = 0;
  let text = '';
  const flush = async () => {
    const { bytesWritten } = await handle.write(text);
    bytes += bytesWritten;
    text = '';
  };
  try {
    for await (const line of lines) {
      text += `${line}\n`;
      count++;
      if (text.length >= AT_ONCE) await flush();
    }
    await flush();
    await handle.sync();
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  // Its head and its end are no rows.
  return { rows: count - 2, bytes };
}
