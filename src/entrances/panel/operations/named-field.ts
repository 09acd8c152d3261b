import { z } from 'zod';
import { isStorableText } from '../../../platform/json.ts';

const LONGEST = 500;

/** What a marketplace or a carrier calls a thing, as it is looked for. */
export function named(description: string, example: string, longest = LONGEST) {
  return z
    .string()
    .min(1)
    .max(longest)
    .refine(isStorableText, 'tiene caracteres que no son texto.')
    .meta({ description, examples: [example] });
}
