import type { Dice } from '../../../simulators/dice.ts';
import { copyOf, type Element, elementsOf } from './element.ts';
import { expectedOf } from './expected.ts';
import { Expected } from './fields.ts';
import { TFD } from './schema.ts';
import { writeDocument } from './write.ts';

/** A damaged document, and what has to become of it. */
interface Mutated {
  readonly bytes: Buffer;
  readonly outcome: { readonly record: object } | { readonly refused: Expected };
}

type OfTree = (chance: Dice, root: Element) => void;
type OfText = (chance: Dice, text: string) => readonly [text: string | Buffer, reason: string];

const WRONG = ['x', '1,50', '1e3', '+1', '-', '34.80.1', '2026-13-45', 'á'.repeat(5_001), '   '];
/** Decimals of XML Schema among others. */
const ODD_AMOUNTS = ['1e3', '+1', '.5', '5.', '-.5', '.', '1,000.00', '$ 1.00', '0x10', '١'];
const FOREIGN = 'urn:ejemplo:ajeno';

/** Changes of the tree; what has to become of them follows from the tree alone. */
const TREE_MUTATIONS: Readonly<Record<string, OfTree>> = {
  attributeRemoved: (chance, root) => withAttribute(chance, root, (all, name) => all.delete(name)),
  attributeEmptied: (chance, root) => withAttribute(chance, root, (all, name) => all.set(name, '')),
  attributeWrong: (chance, root) =>
    withAttribute(chance, root, (all, name) => all.set(name, chance.pick(WRONG))),
  amountOdd: (chance, root) => {
    const some = [...elementsOf(root)].flatMap(({ attributes }) =>
      [...attributes].flatMap(([name, value]) =>
        /^\d+\.\d+$/.test(value) && name !== 'Version' ? [{ attributes, name }] : [],
      ),
    );
    const { attributes, name } = chance.pick(some);
    attributes.set(name, chance.pick(ODD_AMOUNTS));
  },
  attributeInOtherCase: (chance, root) =>
    withAttribute(chance, root, (all, name) => {
      const value = all.get(name) ?? '';
      all.delete(name);
      all.set(name.toLowerCase(), value);
    }),
  attributeAdded: (chance, root) => {
    pick(chance, root).attributes.set('Desconocido', 'valor');
  },
  elementRemoved: (chance, root) => {
    const parent = parentIn(chance, root);
    parent.children.splice(chance.whole(0, parent.children.length - 1), 1);
  },
  elementTwice: (chance, root) => {
    const parent = parentIn(chance, root);
    const child = chance.pick(parent.children);
    parent.children.splice(parent.children.indexOf(child), 0, copyOf(child));
  },
  elementOfOtherNamespace: (chance, root) => {
    const parent = chance.chance(0.1) ? null : parentIn(chance, root);
    if (!parent) return void Object.assign(root, { namespace: FOREIGN });
    const place = chance.whole(0, parent.children.length - 1);
    Object.assign(parent.children[place] as Element, { namespace: FOREIGN });
  },
  elementUnknown: (chance, root) => {
    const attributes = new Map([['Total', '9.99']]);
    const unknown = { namespace: FOREIGN, name: 'Ajeno', attributes, children: [] };
    parentIn(chance, root).children.push(unknown);
  },
  stampInAddenda: (_, root) => {
    const stamps = stampsIn(root);
    for (const { children } of elementsOf(root))
      for (const stamp of stamps)
        if (children.includes(stamp)) children.splice(children.indexOf(stamp), 1);
    const { namespace } = root;
    root.children.push({ namespace, name: 'Addenda', attributes: new Map(), children: stamps });
  },
  twoStamps: (_, root) => {
    for (const { children } of [...elementsOf(root)]) {
      const stamp = children.find(({ namespace }) => namespace === TFD);
      if (!stamp) continue;
      const other = copyOf(stamp);
      other.attributes.set('UUID', '00000000-0000-4000-8000-000000000000');
      children.push(other);
    }
  },
};

/** Changes of the text, by what refuses the document as a whole. */
export const TEXT_MUTATIONS: Readonly<Record<string, OfText>> = {
  cutOff: (chance, text) => [
    text.slice(0, chance.whole(Math.floor(text.length / 2), text.length - 2)),
    'mal_formado',
  ],
  twoDocuments: (_, text) => [`${text}${text.slice(rootIn(text))}`, 'mal_formado'],
  wrapped: (_, text) => [`<sobre>${text.slice(rootIn(text))}</sobre>`, 'no_es_cfdi'],
  attributeTwice: (_, text) => [text.replace(/<[a-zA-Z][\w:]*/, '$& A="1" A="2"'), 'mal_formado'],
  bareAmpersand: (_, text) => [text.replace(/Rfc(\w*)=(["'])/, 'Rfc$1=$2&& '), 'mal_formado'],
  unknownEntity: (_, text) => [text.replace(/Rfc(\w*)=(["'])/, 'Rfc$1=$2&cien;'), 'mal_formado'],
  doctype: (_, text) => {
    const at = rootIn(text);
    return [`${text.slice(0, at)}<!DOCTYPE x [<!ENTITY a "b">]>${text.slice(at)}`, 'doctype'];
  },
  otherEncoding: (_, text) => [Buffer.from(`${text}<!-- ñ -->`, 'latin1'), 'codificacion'],
  declaredOtherwise: (_, text) => [
    `<?xml version="1.0" encoding="ISO-8859-1"?>${text.slice(rootIn(text))}`,
    'codificacion',
  ],
  twoBytesEach: (_, text) => [Buffer.from(`\ufeff${text}`, 'utf16le'), 'codificacion'],
  controlCharacter: (_, text) => [text.replace(/Rfc(\w*)=(["'])/, 'Rfc$1=$2\u0001'), 'mal_formado'],
};

export const MUTATIONS = [...Object.keys(TREE_MUTATIONS), ...Object.keys(TEXT_MUTATIONS)];

/** @param name one of `MUTATIONS` */
export function mutated(chance: Dice, root: Element, name: string): Mutated {
  const change = TREE_MUTATIONS[name];
  if (!change) {
    const [bytes, reason] = (TEXT_MUTATIONS[name] as OfText)(chance, writeDocument(chance, root));
    return { bytes: Buffer.from(bytes as string), outcome: { refused: new Expected(reason) } };
  }
  const copy = copyOf(root);
  change(chance, copy);
  return { bytes: Buffer.from(writeDocument(chance, copy)), outcome: outcomeOf(copy) };
}

function outcomeOf(root: Element): Mutated['outcome'] {
  try {
    return { record: expectedOf(root) };
  } catch (error) {
    if (error instanceof Expected) return { refused: error };
    throw error;
  }
}

function withAttribute(
  chance: Dice,
  root: Element,
  change: (attributes: Map<string, string>, name: string) => void,
): void {
  const some = [...elementsOf(root)].filter(({ attributes }) => attributes.size > 0);
  const { attributes } = chance.pick(some);
  change(attributes, chance.pick([...attributes.keys()]));
}

function pick(chance: Dice, root: Element): Element {
  return chance.pick([...elementsOf(root)]);
}

function parentIn(chance: Dice, root: Element): Element {
  return chance.pick([...elementsOf(root)].filter(({ children }) => children.length > 0));
}

function stampsIn(root: Element): Element[] {
  return [...elementsOf(root)].filter(({ namespace }) => namespace === TFD);
}

/** Where the root element begins. */
function rootIn(text: string): number {
  return text.search(/<[a-zA-Z]/);
}
