import { membersOf, type Role } from '../../../features/people/index.ts';
import { INSTANCE_ACTOR, type PersonDoing } from '../../../features/trail/index.ts';
import type { Actor } from '../../../features/warehouse/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';

const FORMER_MEMBER = 'Una persona que ya no está en la organización';
const OPERATOR = 'Soporte de Tianguis';

/** The person of a call, as an actor in the warehouse. */
export function actorOf({ by, role }: { by: PersonDoing; role: Role }): Actor {
  return { kind: 'person', id: by.personId, role, address: by.address };
}

/** What the members of the organisation are called, by person. */
export async function memberNames(scope: ReadScope): Promise<ReadonlyMap<string, string>> {
  return new Map((await membersOf(scope)).map(({ personId, name }) => [personId, name]));
}

/** Who did something in the warehouse; null = the product itself. */
export function actorName({ kind, id }: Actor, names: ReadonlyMap<string, string>): string | null {
  if (kind === INSTANCE_ACTOR) return null;
  return kind === 'operator' ? OPERATOR : nameOfMember(id, names);
}

/** Of a former member only the id is known. */
export function nameOfMember(personId: string, names: ReadonlyMap<string, string>): string {
  return names.get(personId) ?? FORMER_MEMBER;
}
