import { z } from 'zod';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { isStorableText } from '../../platform/json.ts';
import type { SavedView } from './store.ts';
import * as store from './store.ts';

/** The screens whose filters are kept. */
const PLACES = ['orders'] as const;
const LONGEST_NAME = 60;
const LONGEST_QUERY = 4_000;
/** Of a person, on one screen. */
const MOST_VIEWS = 50;

const storable = (longest: number) =>
  z.string().max(longest).refine(isStorableText, 'tiene caracteres que no son texto.');

export const VIEW_FIELDS = {
  place: z.enum(PLACES).meta({ description: 'La pantalla.', examples: ['orders'] }),
  name: storable(LONGEST_NAME)
    .trim()
    .min(1, 'no puede estar vacío.')
    .meta({ description: 'El nombre de la vista.', examples: ['Por enviar'] }),
  query: storable(LONGEST_QUERY).meta({
    description: 'Los filtros, como van en la dirección.',
    examples: ['estado=ready_to_ship'],
  }),
};

type Place = (typeof PLACES)[number];

/** Those of one person, by name. */
export function listViews(scope: ReadScope, personId: string, place: Place): Promise<SavedView[]> {
  return store.viewsOf(scope, personId, place);
}

/**
 * Keeps a view; one of the same name is replaced.
 * @throws Failure too_many_views
 */
export async function saveView(
  scope: WriteScope,
  personId: string,
  { place, ...view }: SavedView & { readonly place: Place },
): Promise<void> {
  if (!(await store.put(scope, personId, place, view, MOST_VIEWS))) throw fail('too_many_views');
}

/** @returns whether there was one. */
export function removeView(
  scope: WriteScope,
  personId: string,
  place: Place,
  name: string,
): Promise<boolean> {
  return store.remove(scope, personId, place, name);
}
