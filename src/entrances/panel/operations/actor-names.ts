import { membersOf } from '../../../features/people/index.ts';
import type { Actor } from '../../../features/warehouse/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';

const FORMER_MEMBER = 'Una persona que ya no está en la organización';
const OPERATOR = 'Soporte de Tianguis';

/** What the members of the organisation are called, by person. */
export async function memberNames(scope: ReadScope): Promise<ReadonlyMap<string, string>> {
  return new Map((await membersOf(scope)).map(({ personId, name }) => [personId, name]));
}

/** Who did something in the warehouse; null = the product itself. */
export function actorName({ kind, id }: Actor, names: ReadonlyMap<string, string>): string | null {
  if (kind === 'house') return null;
  return kind === 'operator' ? OPERATOR : (names.get(id) ?? FORMER_MEMBER);
}
