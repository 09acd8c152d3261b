import { z } from 'zod';
import type { Database, OrganizationDatabase, WriteScope } from '../../platform/db/database.ts';
import { MIGRATIONS_DIGEST } from '../../platform/db/schema.ts';
import { isRefusedRow } from '../../platform/db/unavailable.ts';
import { fail, invalid } from '../../platform/failure.ts';
import * as store from './store.ts';
import { type FileTable, isFileTable } from './tables.ts';
import { FORMAT } from './write-file.ts';

interface ImportedFile {
  readonly organizationId: string;
  readonly rows: number;
}

const Head = z.object({
  format: z.literal(FORMAT),
  schema: z.string(),
  organization_id: z.uuid(),
});
const End = z.object({ end: z.literal(true), rows: z.int() });
/** Numbers of a row keep their digits: its text goes to the database as it is. */
const ROW = /^\{"table":"([a-z_]{1,63})","row":(\{.*\})\}$/s;
/** Rows of one transaction. */
const AT_ONCE = 200;

/**
 * Makes an organisation from its file, suspended and with its accounts disconnected. A file that
 * was cut off leaves what it had; the whole one then adds the rest, and changes no row.
 *
 * @throws Failure invalid_request where the file is no such one, of another release, cut off, or
 * sealed with another master key, or has rows of another organisation or that no table takes; or
 * where the organisation is there and in use
 */
export async function importFile(
  database: Database,
  lines: AsyncIterable<string>,
): Promise<ImportedFile> {
  let open: Import | null = null;
  let rows = 0;
  let isWhole = false;
  for await (const line of lines) {
    if (isWhole) throw invalid('file', 'El archivo sigue después de su final.');
    if (open === null) {
      open = openImport(database, headOf(line).organization_id);
      continue;
    }
    const [, table = '', row = ''] = ROW.exec(line) ?? [];
    if (row !== '') {
      await open.add(table, row);
      rows++;
    } else {
      isWhole = End.safeParse(jsonOf(line)).data?.rows === rows;
      if (!isWhole) throw invalid('file', `La línea ${rows + 2} del archivo no se puede leer.`);
    }
  }
  if (open === null || !isWhole)
    throw invalid('file', 'El archivo está incompleto. Expórtalo de nuevo y repite la orden.');
  await open.end();
  return { organizationId: open.organizationId, rows };
}

interface Import {
  readonly organizationId: string;
  add(table: string, row: string): Promise<void>;
  end(): Promise<void>;
}

function openImport(database: Database, organizationId: string): Import {
  const organization = database.within(organizationId);
  const layouts = new Map<FileTable, store.Layout>();
  let batch: string[] = [];
  let current: FileTable | null = null;
  const flush = async () => {
    const [table, rows] = [current, batch];
    batch = [];
    if (table === null || rows.length === 0) return;
    const layout =
      layouts.get(table) ?? (await organization.read((scope) => store.layoutOf(scope, table)));
    layouts.set(table, layout);
    await storing(table, () =>
      organization.write(async (scope) => {
        if ((await store.addRows(scope, layout, rows)) > 0)
          throw invalid('file', `El archivo trae filas de otra organización en ${table}.`);
        if (table === 'data_keys') await requireMasterKey(scope);
      }),
    );
  };
  return {
    organizationId,
    async add(table, row) {
      if (table === 'organizations') return addOrganization(organization, row);
      if (!isFileTable(table)) throw invalid('file', `El archivo trae una tabla ajena: ${table}.`);
      if (table !== current || batch.length === AT_ONCE) await flush();
      current = table;
      batch.push(row);
    },
    async end() {
      await flush();
      await organization.write(async (scope) => {
        await store.parkConnections(scope, scope.clock.now());
        for (const layout of layouts.values()) await store.numberOn(scope, layout);
      });
    },
  };
}

/** @throws Failure invalid_request where a row is not one of the table */
async function storing<T>(table: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusedRow(error)) throw error;
    throw invalid('file', `El archivo trae una fila que no se puede guardar en ${table}.`);
  }
}

async function addOrganization(organization: OrganizationDatabase, row: string): Promise<void> {
  const add = () => organization.write((scope) => store.addOrganization(scope, row));
  if (await storing('organizations', add)) return;
  throw invalid(
    'file',
    'La organización ya existe y está en uso. Suspéndela antes de completarla desde un archivo.',
  );
}

/** A vault that opens none of the organisation's keys makes one of its own. */
async function requireMasterKey(scope: WriteScope): Promise<void> {
  const before = await store.countKeys(scope);
  await scope.vault();
  if ((await store.countKeys(scope)) > before)
    throw fail('invalid_request', {
      param: 'file',
      message:
        'Esta instalación no tiene la MASTER_KEY de la que exportó. Indícala en MASTER_KEY_PREVIOUS y repite la orden.',
    });
}

function headOf(line: string) {
  const head = Head.safeParse(jsonOf(line));
  if (!head.success)
    throw invalid('file', 'El archivo no es una organización exportada por Tianguis.');
  if (head.data.schema !== MIGRATIONS_DIGEST)
    throw invalid(
      'file',
      'El archivo es de otra versión de Tianguis. Impórtalo con la versión que lo exportó y actualiza después.',
    );
  return head.data;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
