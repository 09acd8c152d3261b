import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { listenersWith } from '../app/services.ts';
import {
  certificates,
  type DocumentReader,
  DocumentRefusal,
  filesOf,
  heldCfdis,
  isArchive,
  type ReadDocument,
  reading,
  recordCfdis,
} from '../features/cfdi/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { storeInParts } from '../platform/db/in-parts.ts';
import { Failure } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';

const BATCH = 50;
/** Errors of a path that is no file, or of a file that may not be read or is larger than any ZIP. */
const UNOPENED = [
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'],
  ...['EACCES', 'EPERM', 'ERR_FS_FILE_TOO_LARGE'],
];
/** Sellers' archives may have names that end a line, or move the terminal's cursor. */
const CONTROLS = /\p{Cc}/gu;
const LISTENERS = listenersWith([announceOrders]);

type UploadedFiles = Awaited<ReturnType<typeof filesOf>>;

interface Report {
  /** Files opened, refused ones too. */
  read: number;
  changed: number;
  refused: number;
  readonly errors: { file: string; message: string }[];
}

interface NamedDocument {
  readonly file: string;
  readonly document: ReadDocument;
}

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Of a document whose data the database refuses. */
const UNSTORABLE = new DocumentRefusal('dato_invalido');

export const importCfdi: Command = {
  usage: 'import-cfdi --organization ID ARCHIVO…',
  about:
    'Importa CFDI y constancias de retenciones, cada uno en XML o varios en un ZIP. Un archivo que no se puede leer se aparta con su motivo y los demás entran.',
  options: ['organization'],
  required: ['organization'],
  file: 'many',
  async run({ organization: id }, files) {
    const report = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, id);
      return reading((reader) => importFiles(database.within(organizationId), reader, files));
    });
    const { read, changed, refused, errors } = report;
    const text = [
      `${read} archivos leídos: ${changed} nuevos, ${read - changed - refused} ya guardados, ${refused} rechazados.`,
      ...errors.map(({ file, message }) => `${file.replaceAll(CONTROLS, '\ufffd')}: ${message}`),
    ].join('\n');
    return { json: report, text };
  },
};

export const cfdisCommand: Command = {
  usage: 'cfdis --organization ID [--uuid FOLIO]',
  about: 'Muestra los CFDI de una organización, del más antiguo al más reciente, o el de un folio.',
  options: ['organization', 'uuid'],
  required: ['organization'],
  async run({ organization: id, uuid }) {
    const found = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, id);
      return database.within(organizationId).read((scope) => heldCfdis(scope, uuid ?? null));
    });
    const lines = found.map(
      ({ uuid: folio, issued_at, type, total, currency, issuer_rfc, receiver_rfc }) =>
        `${folio}  ${issued_at}  ${type}  ${total} ${currency}  ${issuer_rfc} → ${receiver_rfc}`,
    );
    return { json: { cfdis: found }, text: lines.join('\n') || 'No hay CFDI.' };
  },
};

export const withholdingsCommand: Command = {
  usage: 'withholdings --organization ID',
  about:
    'Muestra las constancias de retenciones de una organización, con lo retenido de ISR e IVA.',
  options: ['organization'],
  required: ['organization'],
  async run({ organization: id }) {
    const found = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, id);
      return database.within(organizationId).read(certificates);
    });
    const rows = found.map(({ uuid, issuer_rfc, period, isr, iva, base }) => ({
      ...{ uuid, issuer_rfc, period, isr, iva, base },
    }));
    const lines = rows.map(
      ({ uuid, issuer_rfc, period, isr, iva, base }) =>
        `${uuid}  ${period}  ${issuer_rfc}  ISR ${isr}  IVA ${iva}  base ${base}`,
    );
    return {
      json: { withholdings: rows },
      text: lines.join('\n') || 'No hay constancias de retenciones.',
    };
  },
};

async function importFiles(
  organization: OrganizationDatabase,
  reader: DocumentReader,
  paths: readonly string[],
): Promise<Report> {
  const report: Report = { read: 0, changed: 0, refused: 0, errors: [] };
  let batch: NamedDocument[] = [];
  const flush = async () => {
    const refused = await storeInParts(batch, async (some) => {
      const documents = some.map(({ document }) => document);
      const added = await organization.write((scope) =>
        recordCfdis(scope, 'upload', documents, LISTENERS),
      );
      report.changed += added.length;
    });
    batch = [];
    for (const { item } of refused) refuse(report, item.file, UNSTORABLE);
  };
  for (const path of paths)
    for (const file of await openFiles(path, report)) {
      const document = await readOne(file, reader, report);
      if (document) batch.push({ file: file.name, document });
      if (batch.length === BATCH) await flush();
    }
  if (batch.length > 0) await flush();
  return report;
}

/** An XML, or the files of a ZIP; none where it cannot be opened: the report says why. */
async function openFiles(path: string, report: Report): Promise<UploadedFiles> {
  const name = basename(path);
  try {
    const bytes = await readFile(path);
    const files = await filesOf(bytes, name);
    return isArchive(bytes)
      ? files.map((file) => ({ ...file, name: `${name}/${file.name}` }))
      : files;
  } catch (error) {
    if (error instanceof Failure) {
      report.read += 1;
      refuse(report, name, { reason: 'zip_invalido', message: error.message });
    } else if (isUnopened(error)) {
      const message = 'no_se_abre: El archivo no existe o no se puede abrir.';
      report.errors.push({ file: name, message });
    } else throw error;
    return [];
  }
}

/** @returns null where it cannot be read: the report says why */
async function readOne(
  file: UploadedFiles[number],
  reader: DocumentReader,
  report: Report,
): Promise<ReadDocument | null> {
  report.read += 1;
  const [result] = 'refusal' in file ? [file.refusal] : await reader.readPacked([file]);
  if (!(result instanceof DocumentRefusal)) return result ?? null;
  refuse(report, file.name, result);
  return null;
}

function refuse(report: Report, file: string, { reason, message }: Refusal): void {
  report.refused += 1;
  report.errors.push({ file, message: `${reason}: ${message}` });
}

/** Whether the fault is the file's. */
function isUnopened(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return UNOPENED.includes(code);
}
