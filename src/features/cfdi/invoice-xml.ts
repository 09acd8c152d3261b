import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import {
  digestFor,
  openBytesFrom,
  organizationsInClear,
  sealClear,
  sealedColumn,
  sealFor,
} from '../../platform/db/sealed-column.ts';
import type { Vault } from '../../platform/db/vault.ts';

/** The XML of an invoice document as its row keeps it. */
export interface StoredXml {
  /** As a former version stored it, and newer than the box where there are both. */
  readonly xml: string | null;
  readonly xml_box: Buffer | null;
}

/** What a new row keeps of an XML; all null = the marketplace did not give it. */
interface SealedXml {
  readonly xml_box: Buffer | null;
  readonly xml_digest: Buffer | null;
  readonly xml_bytes: number | null;
}

const INVOICE_XML = sealedColumn({
  table: 'invoice_documents',
  keys: ['marketplace', 'account_id', 'id'],
  clear: ['xml'],
  box: 'xml_box',
  digest: 'xml_digest',
  bytes: 'xml_bytes',
});

/** @param key marketplace, account and id */
export async function sealXml(
  vault: Vault,
  key: readonly string[],
  xml: Uint8Array | null,
): Promise<SealedXml> {
  if (xml === null) return { xml_box: null, xml_digest: null, xml_bytes: null };
  return {
    xml_box: await sealFor(vault, INVOICE_XML, key, xml),
    xml_digest: digestFor(vault, INVOICE_XML, key, xml),
    xml_bytes: xml.byteLength,
  };
}

/** Null = the marketplace did not give it, or it cannot be decrypted. */
export function openXml(
  scope: ReadScope,
  key: readonly string[],
  { xml: clear, xml_box }: StoredXml,
): Promise<Buffer | null> {
  return openBytesFrom(scope, INVOICE_XML, key, { clear, box: clear === null ? xml_box : null });
}

/** Organisations with invoice documents that a former version stored in clear. */
export function organizationsToSealInvoices(handle: Handle): Promise<string[]> {
  return organizationsInClear(handle, [INVOICE_XML]);
}

/** @returns how many documents were sealed, `limit` at most */
export function sealInvoices(scope: WriteScope, limit: number): Promise<number> {
  return sealClear(scope, [INVOICE_XML], limit);
}
