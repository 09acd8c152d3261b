import type { Handle, OrganizationDatabase, WriteScope } from '../../platform/db/database.ts';
import { isRefusedRow } from '../../platform/db/unavailable.ts';
import type { ListenersOf } from '../orders/index.ts';
import { recordCfdis } from './cfdis.ts';
import { typeOf } from './kinds.ts';
import * as store from './store-unread.ts';
import type { DocumentReader } from './xml/reading.ts';
import type { TaxDocument } from './xml/record.ts';
import { DocumentRefusal } from './xml/refusal.ts';

const UNDECRYPTED =
  'El XML guardado no se puede descifrar. Se lee cuando el marketplace lo entregue de nuevo.';

/** Organisations with documents of marketplaces that were not read yet. */
export function organizationsToRead(handle: Handle): Promise<string[]> {
  return store.organizations(handle);
}

/** A document whose data the database refuses. */
class UnstorableDocument extends Error {
  readonly version: store.DocumentVersion;

  constructor(version: store.DocumentVersion, cause: unknown) {
    super(`document ${version.id} cannot be stored`, { cause });
    this.version = version;
  }
}

/**
 * Reads some of the documents that marketplaces gave. One that cannot be read or stored keeps the
 * reason, and does not delay the others.
 * @returns how many were read or refused; as many as `limit` = there may be more
 */
export async function readInvoices(
  organization: OrganizationDatabase,
  reader: DocumentReader,
  listenersOf: ListenersOf,
  limit: number,
): Promise<number> {
  try {
    return await organization.write((scope) => readSome(scope, reader, listenersOf, limit));
  } catch (error) {
    if (!(error instanceof UnstorableDocument)) throw error;
    const { message } = new DocumentRefusal('dato_invalido');
    await organization.write((scope) => store.refuse(scope, error.version, message));
    return limit;
  }
}

async function readSome(
  scope: WriteScope,
  reader: DocumentReader,
  listenersOf: ListenersOf,
  limit: number,
): Promise<number> {
  const unread = await store.unread(scope, limit);
  for (const row of unread) {
    if (row.xml === null) {
      await store.lose(scope, row, UNDECRYPTED);
      continue;
    }
    const found = await reader.read(row.xml).catch(refusalOf);
    if (found instanceof DocumentRefusal) {
      await store.refuse(scope, row, found.message);
      continue;
    }
    try {
      // First, since its orders are found by the document's folio.
      await store.settle(scope, row, factsOf(found.record));
      const listeners = listenersOf(row.isBackfill);
      await recordCfdis(scope, row.marketplace, [found], listeners, { announce: !row.isBackfill });
    } catch (error) {
      throw isRefusedRow(error) ? new UnstorableDocument(row, error) : error;
    }
  }
  return unread.length;
}

function refusalOf(error: unknown): DocumentRefusal {
  if (error instanceof DocumentRefusal) return error;
  throw error;
}

function factsOf(record: TaxDocument): store.Facts {
  const { uuid, issuer_rfc, receiver_rfc, issued_at } = record;
  const amounts =
    record.kind === 'cfdi'
      ? { type: typeOf(record), total: record.total, currency: record.currency }
      : { type: 'desconocido', total: null, currency: null };
  return { uuid, issuer_rfc, receiver_rfc, issued_at, ...amounts };
}
