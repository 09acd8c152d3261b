import { isUtf8 } from 'node:buffer';
import { Attributes, shown } from './attributes.ts';
import { COMPROBANTE } from './comprobante.ts';
import type { Draft, Kind } from './draft.ts';
import { walkQuickly } from './quick-walk.ts';
import type { Complement, Stamped, TaxDocument } from './record.ts';
import { DocumentRefusal } from './refusal.ts';
import { RETENCIONES } from './retenciones.ts';
import { type OpenedElement, walkXml } from './walk.ts';
import { CENTRAL, instantAt } from './zones.ts';

interface Reader {
  take(element: OpenedElement): void;
  finish(): TaxDocument;
}

const READERS: Readonly<Record<string, () => Reader>> = {
  [COMPROBANTE.root]: () => openReader(COMPROBANTE),
  [RETENCIONES.root]: () => openReader(RETENCIONES),
};
/** Prefixes of the complements that are read. */
const READ_COMPLEMENTS = ['tfd', 'pago', 'plat', 'terceros'];

/** Of a document that is read as one text: five times a usual one. */
const MOST_QUICK_BYTES = 65_536;
const UTF8 = new TextDecoder();

/**
 * Reads a stamped CFDI or withholding certificate. Unknown attributes, complements and codes are no
 * faults; a stamp counts in the document's own complement node alone.
 * @throws DocumentRefusal
 */
export function readDocument(bytes: Uint8Array): TaxDocument {
  const quick = bytes.byteLength > MOST_QUICK_BYTES ? null : readQuickly(bytes);
  return quick ?? readBy((open) => walkXml(bytes, open));
}

/** Null = the parser decides. */
function readQuickly(bytes: Uint8Array): TaxDocument | null {
  if (!isUtf8(bytes)) return null;
  let isWhole = false;
  try {
    const document = readBy((open) => {
      isWhole = walkQuickly(UTF8.decode(bytes), open);
    });
    return isWhole ? document : null;
  } catch (error) {
    if (error instanceof DocumentRefusal) return null;
    throw error;
  }
}

function readBy(walk: (open: (element: OpenedElement) => void) => void): TaxDocument {
  const opened: Reader[] = [];
  walk((element) => {
    if (opened.length === 0) opened.push(readerOf(element));
    opened[0]?.take(element);
  });
  return (opened[0] ?? refuseRoot()).finish();
}

function readerOf({ path }: OpenedElement): Reader {
  return Object.hasOwn(READERS, path) ? (READERS[path]?.() ?? refuseRoot()) : refuseRoot();
}

function refuseRoot(): never {
  throw new DocumentRefusal('no_es_cfdi');
}

function openReader<Of extends TaxDocument>(kind: Kind<Of>): Reader {
  const draft = { ...kind.begin(), complements: [] } as unknown as Draft<Of> & Draft<Stamped>;
  const { rules, needed, single, complements, itemComplements } = kind;
  const seen = new Set<string>();
  return {
    take(element) {
      const { path, parent, values } = element;
      if (single.has(path) && seen.has(path))
        throw new DocumentRefusal('dato_invalido', shown(path), 'aparece más de una vez');
      if (single.has(path) || needed.has(path)) seen.add(path);
      rules.get(path)?.(draft, new Attributes(path, values));
      if (parent === complements) noteOwn(draft, element);
      if (parent === itemComplements) noteOfItem(draft, element);
    },
    finish() {
      const [missing] = needed.difference(seen);
      if (missing !== undefined)
        throw new DocumentRefusal('dato_invalido', shown(missing), 'falta');
      if (draft.uuid === undefined) throw new DocumentRefusal('sin_timbre');
      return draft as unknown as TaxDocument;
    },
  };
}

/** A complement of the document; one is the stamp. */
function noteOwn(draft: Draft<Stamped>, element: OpenedElement): void {
  draft.complements.push(complementOf(element));
  const { path, parent, values } = element;
  if (path !== `${parent}/tfd:TimbreFiscalDigital`) return;
  const attributes = new Attributes(path, values);
  const uuid = attributes.neededUuid('UUID');
  if (draft.uuid !== undefined && draft.uuid !== uuid) throw new DocumentRefusal('varios_timbres');
  const stampedAt = instantAt(attributes.neededTimes('FechaTimbrado'), CENTRAL);
  if (!stampedAt) throw attributes.fault('FechaTimbrado', 'no es una fecha con hora');
  draft.uuid = uuid;
  draft.stamped_at = stampedAt;
}

/** Thousands of items have the same one. */
function noteOfItem({ complements }: Draft<Stamped>, element: OpenedElement): void {
  const { namespace, name } = element;
  if (complements.some((one) => one.namespace === namespace && one.name === name)) return;
  complements.push(complementOf(element));
}

function complementOf({ path, namespace, name }: OpenedElement): Complement {
  return { namespace, name, is_read: READ_COMPLEMENTS.includes(prefixOf(path)) };
}

/** Of the last element. */
function prefixOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(':')[0] ?? '';
}
