import type { Dice } from '../../../simulators/dice.ts';
import { comprobante, payments } from './comprobante-schema.ts';
import type { Element } from './element.ts';
import { PLATFORMS, retenciones } from './retenciones-schema.ts';
import { type ElementType, LOCAL_TAXES, OF_TOMORROW, WAY_BILL } from './schema.ts';

/** The documents that are drawn. */
const DOCUMENT_TYPES = {
  invoice: comprobante(true, []),
  withLocalTaxes: comprobante(true, [[LOCAL_TAXES, 1, 1]]),
  withWayBill: comprobante(true, [[WAY_BILL, 1, 1]]),
  withUnknownComplement: comprobante(true, [[OF_TOMORROW, 1, 2]]),
  payment: comprobante(true, [[payments(true), 1, 1]]),
  invoice33: comprobante(false, []),
  payment33: comprobante(false, [[payments(false), 1, 1]]),
  certificate: retenciones(true, []),
  platformCertificate: retenciones(true, [[PLATFORMS, 1, 1]]),
  foreignCertificate: retenciones(false, [[PLATFORMS, 0, 1]]),
} as const satisfies Record<string, ElementType>;
export type DocumentType = keyof typeof DOCUMENT_TYPES;
export const DRAWN_TYPES = Object.keys(DOCUMENT_TYPES) as [DocumentType, ...DocumentType[]];

/** How many of an element there are, where it is not left to chance. */
type Counts = Readonly<Record<string, number>>;

/** A document as the SAT's schema of its type allows it; the same chance draws the same one. */
export function drawDocument(chance: Dice, type: DocumentType, counts: Counts = {}): Element {
  return drawElement(chance, DOCUMENT_TYPES[type], counts);
}

function drawElement(
  chance: Dice,
  { namespace, name, attributes, children }: ElementType,
  counts: Counts,
): Element {
  const drawn = Object.entries(attributes)
    .filter(([given]) => !given.endsWith('?') || chance.chance(0.5))
    .map(([given, draw]) => [given.replace('?', ''), draw(chance)] as const);
  return {
    namespace,
    name,
    attributes: new Map(drawn),
    children: children.flatMap(([type, least, most]) => {
      const length = counts[type.name] ?? chance.whole(least, most);
      return Array.from({ length }, () => drawElement(chance, type, counts));
    }),
  };
}
