import type { Dice } from '../../../simulators/dice.ts';
import { type Element, elementsOf } from './element.ts';

const USUAL: Readonly<Record<string, string>> = {
  'http://www.sat.gob.mx/cfd/4': 'cfdi',
  'http://www.sat.gob.mx/cfd/3': 'cfdi',
  'http://www.sat.gob.mx/TimbreFiscalDigital': 'tfd',
  'http://www.sat.gob.mx/Pagos20': 'pago20',
  'http://www.sat.gob.mx/esquemas/retencionpago/2': 'retenciones',
};
const DECLARATIONS = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n',
  "<?xml version='1.0'?>",
  '',
  '\ufeff<?xml version="1.0" encoding="UTF-8"?>',
];
const BETWEEN = ['', '', '', '\n  ', '\r\n', '<!-- una nota -->', '<?herramienta 1?>'];
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#xA;',
};

/**
 * A document as one of the many programs that make them would write it: with its own prefixes,
 * quotes, order of attributes, spaces and comments.
 */
export function writeDocument(chance: Dice, root: Element): string {
  const namespaces = [...new Set([...elementsOf(root)].map(({ namespace }) => namespace))];
  const own = chance.chance(0.3);
  const prefixes = new Map(
    namespaces.map((uri, at) => [uri, own ? `n${at}` : (USUAL[uri] ?? `x${at}`)]),
  );
  const isRootPlain = chance.chance(0.2);
  if (isRootPlain) prefixes.set(root.namespace, '');
  const style: Style = {
    chance,
    prefixes,
    isSpaced: chance.chance(0.5),
    quote: chance.pick(['"', '"', "'"]),
  };
  const declared = namespaces.map((uri) => {
    const prefix = prefixes.get(uri);
    return [prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri] as const;
  });
  return `${chance.pick(DECLARATIONS)}${write(style, root, declared)}`;
}

interface Style {
  readonly chance: Dice;
  readonly prefixes: ReadonlyMap<string, string>;
  readonly isSpaced: boolean;
  readonly quote: string;
}

function write(
  style: Style,
  { namespace, name, attributes, children, text }: Element,
  declared: readonly (readonly [string, string])[] = [],
): string {
  const { chance, prefixes, quote } = style;
  const prefix = prefixes.get(namespace) ?? '';
  const tag = prefix === '' ? name : `${prefix}:${name}`;
  const written = [...declared, ...attributes]
    .map((pair) => ({ pair, at: chance.roll() }))
    .sort((one, other) => one.at - other.at)
    .map(({ pair: [key, value] }) => ` ${key}=${quote}${escaped(value)}${quote}`)
    .join('');
  const inner =
    text === undefined
      ? children.map((child) => between(style) + write(style, child)).join('') + between(style)
      : escaped(text);
  return inner === '' && chance.chance(0.7)
    ? `<${tag}${written}/>`
    : `<${tag}${written}>${inner}</${tag}>`;
}

function between({ chance, isSpaced }: Style): string {
  return isSpaced ? chance.pick(BETWEEN) : '';
}

function escaped(value: string): string {
  return value.replace(/[&<>"'\t\n]/g, (character) => ESCAPES[character] ?? character);
}
