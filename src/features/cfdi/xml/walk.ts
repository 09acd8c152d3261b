import { SaxesParser } from 'saxes';
import { DocumentRefusal } from './refusal.ts';

/** The namespaces that we read, by the short names that paths have. */
const NAMESPACES = new Map([
  ['http://www.sat.gob.mx/cfd/4', 'cfdi'],
  ['http://www.sat.gob.mx/cfd/3', 'cfdi'],
  ['http://www.sat.gob.mx/TimbreFiscalDigital', 'tfd'],
  ['http://www.sat.gob.mx/Pagos20', 'pago'],
  ['http://www.sat.gob.mx/Pagos', 'pago'],
  ['http://www.sat.gob.mx/terceros', 'terceros'],
  ['http://www.sat.gob.mx/esquemas/retencionpago/2', 'ret'],
  ['http://www.sat.gob.mx/esquemas/retencionpago/1', 'ret'],
  ['http://www.sat.gob.mx/esquemas/retencionpago/1/PlataformasTecnologicas10', 'plat'],
]);

// A withholding certificate has three elements a sale, a global invoice thousands of lines.
export const MOST_BYTES = 25 * 1_024 * 1_024;
const MOST_ELEMENTS = 500_000;
export const MOST_DEPTH = 64;
export const MOST_ATTRIBUTES = 1_000;
/** Of one text, comment, attribute or declaration: the parser holds it until it ends. */
const MOST_PIECE = 768 * 1_024;
/** The same, up to the end of the root's tag: a DOCTYPE is known only when it ends. */
const MOST_FIRST_PIECE = 131_072;
const CHUNK = 65_536;
const PDF = 'Es un PDF. Sube el XML del CFDI, o un ZIP con los XML.';

export interface OpenedElement {
  /** From the root on, such as `cfdi:Comprobante/cfdi:Emisor`; `?` is another namespace. */
  readonly path: string;
  /** The path of the element around it; of the root an empty text. */
  readonly parent: string;
  readonly namespace: string;
  readonly name: string;
  /** Values of its attributes, by their names as they are written. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Goes through an XML document element by element, without keeping it. Elements are known by their
 * namespace, whatever their prefix. @throws DocumentRefusal
 */
export function walkXml(bytes: Uint8Array, open: (element: OpenedElement) => void): void {
  if (bytes.byteLength > MOST_BYTES) throw new DocumentRefusal('demasiado_grande');
  if (isPdf(bytes)) throw new DocumentRefusal('no_es_xml', null, PDF);
  const paths: string[] = [];
  let values = new Map<string, string>();
  let [elements, attributes, piece] = [0, 0, 0];
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', (cause) => {
    throw Object.assign(new DocumentRefusal('mal_formado'), { cause });
  });
  parser.on('doctype', () => {
    throw new DocumentRefusal('doctype');
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
      throw new DocumentRefusal('codificacion');
  });
  parser.on('attribute', ({ name, value }) => {
    piece = 0;
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) throw new DocumentRefusal('demasiado_grande');
    values.set(name, value);
  });
  parser.on('opentag', ({ uri, local }) => {
    [attributes, piece] = [0, 0];
    elements += 1;
    if (elements > MOST_ELEMENTS || paths.length >= MOST_DEPTH)
      throw new DocumentRefusal('demasiado_grande');
    const element = elementOf(paths.at(-1) ?? '', uri, local, values);
    values = new Map();
    paths.push(element.path);
    open(element);
  });
  parser.on('closetag', () => {
    piece = 0;
    paths.pop();
  });
  for (const text of textOf(bytes)) {
    piece += text.length;
    if (piece > (elements === 0 ? MOST_FIRST_PIECE : MOST_PIECE))
      throw new DocumentRefusal('demasiado_grande');
    parser.write(text);
  }
  parser.close();
}

export function elementOf(
  parent: string,
  namespace: string,
  name: string,
  values: ReadonlyMap<string, string>,
): OpenedElement {
  const own = `${NAMESPACES.get(namespace) ?? '?'}:${name}`;
  const path = parent === '' ? own : `${parent}/${own}`;
  return { path, parent, namespace, name, values };
}

function* textOf(bytes: Uint8Array): Generator<string> {
  // As UTF-16 writes each character of XML, with a mark or without.
  if (bytes.subarray(0, 4).includes(0)) throw new DocumentRefusal('codificacion');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < bytes.byteLength; at += CHUNK)
      yield decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw Object.assign(new DocumentRefusal('codificacion'), { cause });
  }
}

/** Most sellers have the printed form, too. */
function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-';
}
