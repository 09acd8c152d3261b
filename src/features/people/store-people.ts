import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly email_verified: boolean;
}

export function personByEmail(handle: Handle, email: string): Promise<PersonRow | undefined> {
  return handle.first(
    build
      .selectFrom('people')
      .select(['id', 'name', 'email', 'email_verified'])
      .where('email', '=', email),
  );
}

export function personById(handle: Handle, id: string): Promise<PersonRow | undefined> {
  return handle.first(
    build
      .selectFrom('people')
      .select(['id', 'name', 'email', 'email_verified'])
      .where('id', '=', id),
  );
}

/** @returns false when the address has a person already */
export async function insertPerson(
  handle: WriteHandle,
  person: { id: string; name: string; email: string; isVerified: boolean; at: Instant },
): Promise<boolean> {
  const at = person.at.toString();
  const rows = await handle.rows(
    build
      .insertInto('people')
      .values({
        id: person.id,
        name: person.name,
        email: person.email,
        email_verified: person.isVerified,
        image: null,
        second_factor_enabled: false,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning('id'),
  );
  return rows.length === 1;
}

export async function markVerified(
  handle: WriteHandle,
  personId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('people')
      .set({ email_verified: true, updated_at: at.toString() })
      .where('id', '=', personId)
      .where('email_verified', '=', false),
  );
}

/**
 * Locks an unconfirmed person until the transaction ends.
 * @returns false when the address is confirmed, or its choices were made after `at`
 */
export async function lockChosenBefore(
  handle: WriteHandle,
  personId: string,
  at: Instant,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .selectFrom('people')
      .select('id')
      .where('id', '=', personId)
      .where('email_verified', '=', false)
      .where('updated_at', '<=', timestamp(at))
      .forUpdate(),
  );
  return rows.length === 1;
}

/**
 * Locks the row until the transaction ends.
 * @returns false when the address is confirmed
 */
export async function renameUnconfirmed(
  handle: WriteHandle,
  personId: string,
  name: string,
  at: Instant,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('people')
      .set({ name, updated_at: at.toString() })
      .where('id', '=', personId)
      .where('email_verified', '=', false)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function removePassword(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('credentials').where('person_id', '=', personId));
}

export async function hasPassword(handle: Handle, personId: string): Promise<boolean> {
  const query = build
    .selectFrom('credentials')
    .select('id')
    .where('person_id', '=', personId)
    .where('password', 'is not', null);
  return (await handle.first(query)) !== undefined;
}

/** In better-auth's form. */
export async function insertPassword(
  handle: WriteHandle,
  given: { id: string; personId: string; hash: string; at: Instant },
): Promise<void> {
  const at = given.at.toString();
  await handle.rows(
    build.insertInto('credentials').values({
      id: given.id,
      account_id: given.personId,
      provider_id: 'credential',
      person_id: given.personId,
      password: given.hash,
      created_at: at,
      updated_at: at,
    }),
  );
}

export async function changePerson(
  handle: WriteHandle,
  id: string,
  { email, name, at }: { email: string; name: string; at: Instant },
): Promise<void> {
  await handle.rows(
    build
      .updateTable('people')
      .set({ email, name, updated_at: at.toString() })
      .where('id', '=', id),
  );
}

/** With what refers to the person, such as sessions and factors. */
export async function removePerson(handle: WriteHandle, id: string): Promise<void> {
  await handle.rows(build.deleteFrom('people').where('id', '=', id));
}
