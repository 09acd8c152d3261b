import { z } from 'zod';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { isStorableText } from '../../platform/json.ts';
import type { SavedView } from './store.ts';
import * as store from './store.ts';

/** The screens whose filters are kept. */
const SCREENS = ['orders'] as const;
const LONGEST_NAME = 60;
const LONGEST_QUERY = 4_000;
/** Of a person, on one screen. */
const MOST_VIEWS = 50;

const storable = (longest: number) =>
  z.string().max(longest).refine(isStorableText, 'tiene caracteres que no son texto.');

export const VIEW_FIELDS = {
  place: z.enum(SCREENS).meta({ description: 'La pantalla.', examples: ['orders'] }),
  name: storable(LONGEST_NAME)
    .trim()
    .min(1, 'no puede estar vacío.')
    .meta({ description: 'El nombre de la vista.', examples: ['Por enviar'] }),
  query: storable(LONGEST_QUERY).meta({
    description: 'Los filtros, como van en la dirección.',
    examples: ['estado=ready_to_ship'],
  }),
};

type Screen = (typeof SCREENS)[number];

/** Those of one person, by name. */
export function listViews(
  scope: ReadScope,
  personId: string,
  screen: Screen,
): Promise<SavedView[]> {
  return store.viewsOf(scope, personId, screen);
}

/**
 * Keeps a view; one of the same name is replaced.
 * @throws Failure too_many_views
 */
export async function saveView(
  scope: WriteScope,
  personId: string,
  { place: screen, ...view }: SavedView & { readonly place: Screen },
): Promise<void> {
  if (!(await store.put(scope, personId, screen, view, MOST_VIEWS))) throw fail('too_many_views');
}

/** @returns whether there was one. */
export function removeView(
  scope: WriteScope,
  personId: string,
  screen: Screen,
  name: string,
): Promise<boolean> {
  return store.remove(scope, personId, screen, name);
}
