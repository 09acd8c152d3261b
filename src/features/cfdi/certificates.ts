import type { ReadScope } from '../../platform/db/database.ts';
import { openRecord } from './cfdis.ts';
import * as store from './store-certificates.ts';
import { type Certificate, certificateOf } from './withheld.ts';
import type { WithholdingRecord } from './xml/record.ts';

/** All withholding certificates, the oldest first. */
export async function certificates(scope: ReadScope): Promise<Certificate[]> {
  return certificatesIn(scope, await store.certificates(scope));
}

/** The withholding certificates among these folios. */
export async function certificatesOf(
  scope: ReadScope,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, Certificate>> {
  if (uuids.length === 0) return new Map();
  const found = await certificatesIn(scope, await store.someCertificates(scope, uuids));
  return new Map(found.map((one) => [one.uuid, one]));
}

/** Those that a former release stored are opened until the housekeeping completed them. */
async function certificatesIn(
  scope: ReadScope,
  rows: readonly store.CertificateRow[],
): Promise<Certificate[]> {
  const vault = await scope.vault();
  return rows.map(({ record_box, ...stored }) =>
    record_box === null
      ? (stored as Certificate)
      : certificateOf(openRecord(vault, stored.uuid, record_box) as WithholdingRecord),
  );
}
