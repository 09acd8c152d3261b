/** The inputs that name lines, attempts and batches. */
import { z } from 'zod';
import { identifiers } from '../../../platform/input-fields.ts';

const ID = '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28';

/** The id of a line, an attempt or a batch. */
export function idField(description: string) {
  return z.uuid().meta({ description, examples: [ID] });
}

const ID_LENGTH = 36;

/** Several lines. */
export function lineIdsField(description: string) {
  return identifiers(description, [ID], ID_LENGTH, 'no es el identificador de una línea.');
}

/** Those of the body of a change, up to so many. */
export function lineIdsIn(most: number) {
  return z
    .array(z.uuid())
    .min(1)
    .max(most)
    .meta({ description: 'Las líneas.', examples: [[ID]] });
}
