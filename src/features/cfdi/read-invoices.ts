import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { recordCfdis } from './cfdis.ts';
import * as store from './store-unread.ts';
import type { ReadXml } from './xml/reading.ts';
import type { CfdiRecord, TaxDocument } from './xml/record.ts';
import { DocumentRefusal } from './xml/refusal.ts';

const TYPES: Readonly<Record<string, string>> = {
  I: 'ingreso',
  E: 'egreso',
  T: 'traslado',
  P: 'pago',
  N: 'nomina',
};

/** Organisations with documents of marketplaces that were not read yet. */
export function organizationsToRead(handle: Handle): Promise<string[]> {
  return store.organizations(handle);
}

/**
 * Reads some of the documents that marketplaces gave. One that cannot be read keeps the reason.
 * @returns how many were read or refused; as many as `limit` = there may be more
 */
export async function readInvoices(
  scope: WriteScope,
  read: ReadXml,
  limit: number,
): Promise<number> {
  const unread = await store.unread(scope, limit);
  for (const row of unread) {
    const xml = Buffer.from(row.xml);
    const found = await read(xml).catch(refusalOf);
    if (found instanceof DocumentRefusal) {
      await store.refuse(scope, row, found.message);
      continue;
    }
    await recordCfdis(scope, row.marketplace, [{ record: found, xml }]);
    await store.settle(scope, row, factsOf(found));
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
      ? amountsOf(record)
      : { type: 'desconocido', total: null, currency: null };
  return { uuid, issuer_rfc, receiver_rfc, issued_at, ...amounts };
}

function amountsOf({ type, total, currency }: CfdiRecord) {
  return { type: TYPES[type] ?? 'desconocido', total, currency };
}
