import { shown } from './attributes.ts';
import { COMPROBANTE } from './comprobante.ts';
import type { Draft, Kind } from './draft.ts';
import type { Stamped, TaxDocument } from './record.ts';
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

/**
 * Reads a stamped CFDI or withholding certificate. Unknown attributes, complements and codes are no
 * faults; a stamp counts in the document's own complement node alone.
 * @throws DocumentRefusal
 */
export function readDocument(bytes: Uint8Array): TaxDocument {
  const opened: Reader[] = [];
  walkXml(bytes, (element) => {
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
  const missing = new Set(kind.needed);
  const single = new Set(kind.single);
  const seen = new Set<string>();
  const nodes: ComplementNodes = {
    own: `${kind.complements}/`,
    ofItems: kind.itemComplements === undefined ? null : `${kind.itemComplements}/`,
  };
  return {
    take(element) {
      const { path, attributes } = element;
      missing.delete(path);
      if (single.has(path) && seen.size === seen.add(path).size)
        throw new DocumentRefusal('dato_invalido', shown(path), 'aparece más de una vez');
      if (Object.hasOwn(kind.rules, path)) kind.rules[path]?.(draft, attributes);
      noteComplement(draft, nodes, element);
    },
    finish() {
      const [first] = missing;
      if (first !== undefined) throw new DocumentRefusal('dato_invalido', shown(first), 'falta');
      if (draft.uuid === undefined) throw new DocumentRefusal('sin_timbre');
      return draft as unknown as TaxDocument;
    },
  };
}

/** Paths that end in a slash; null = items have none. */
interface ComplementNodes {
  readonly own: string;
  readonly ofItems: string | null;
}

/** The children of the complement nodes; one of the document's own is the stamp. */
function noteComplement(
  draft: Draft<Stamped>,
  { own, ofItems }: ComplementNodes,
  { path, namespace, name, attributes }: OpenedElement,
): void {
  const isOfItem = ofItems !== null && isChild(path, ofItems);
  if (!isOfItem && !isChild(path, own)) return;
  const isRead = READ_COMPLEMENTS.includes(prefixOf(path));
  const noted = draft.complements;
  // Thousands of items have the same one.
  if (!isOfItem || !noted.some((one) => one.namespace === namespace && one.name === name))
    noted.push({ namespace, name, is_read: isRead });
  if (path !== `${own}tfd:TimbreFiscalDigital`) return;
  const uuid = attributes.neededUuid('UUID');
  if (draft.uuid !== undefined && draft.uuid !== uuid) throw new DocumentRefusal('varios_timbres');
  const stampedAt = instantAt(attributes.neededTimes('FechaTimbrado'), CENTRAL);
  if (!stampedAt) throw attributes.fault('FechaTimbrado', 'no es una fecha con hora');
  draft.uuid = uuid;
  draft.stamped_at = stampedAt;
}

function isChild(path: string, node: string): boolean {
  return path.startsWith(node) && !path.includes('/', node.length);
}

/** Of the last element. */
function prefixOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(':')[0] ?? '';
}
