import { pack } from '../../src/features/cfdi/packed.ts';
import { readDocument } from '../../src/features/cfdi/xml/read-document.ts';
import type { ReadDocument } from '../../src/features/cfdi/xml/reading.ts';

/** A document as an upload has it, read without a thread. */
export function readCfdi(xml: Buffer): ReadDocument {
  const record = readDocument(xml);
  return { record, text: JSON.stringify(record), xml: pack(xml) };
}
