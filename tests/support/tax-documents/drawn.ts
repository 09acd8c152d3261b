import { type Dice, dice } from '../../../simulators/dice.ts';
import { type DocumentType, DRAWN_TYPES, drawDocument } from './draw.ts';
import type { Element } from './element.ts';
import { writeDocument } from './write.ts';

/** The document in this place of a series, and the chance that goes on from it. */
export function drawn(
  series: string,
  at: number,
): { chance: Dice; type: DocumentType; root: Element } {
  const chance = dice(series, at);
  const type = DRAWN_TYPES[at % DRAWN_TYPES.length] ?? 'invoice';
  return { chance, type, root: drawDocument(chance, type) };
}

/** So many files of a series. */
export function drawnFiles(series: string, length: number): Buffer[] {
  return Array.from({ length }, (_, at) => {
    const { chance, root } = drawn(series, at);
    return Buffer.from(writeDocument(chance, root));
  });
}
