import { sql } from 'kysely';
import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface Unconfirmed {
  readonly id: string;
  readonly email: string;
  /** Its hash. */
  readonly password: string;
  readonly password_given_at: Instant;
}

export async function insertVerification(
  handle: WriteHandle,
  given: { id: string; identifier: string; value: string; at: Instant; expiresAt: Instant },
): Promise<void> {
  const at = given.at.toString();
  await handle.rows(
    build.insertInto('verifications').values({
      id: given.id,
      identifier: given.identifier,
      value: given.value,
      expires_at: given.expiresAt.toString(),
      created_at: at,
      updated_at: at,
    }),
  );
}

/** Also one that has expired. */
export function verification(
  handle: Handle,
  identifier: string,
): Promise<{ value: string; expires_at: Instant } | undefined> {
  return handle.first(
    build
      .selectFrom('verifications')
      .select(['value', 'expires_at'])
      .where('identifier', '=', identifier),
  );
}

/**
 * The unconfirmed registration that a link confirms, with its password's hash; undefined once the
 * link has expired.
 */
export function unconfirmedBy(
  handle: Handle,
  identifier: string,
  now: Instant,
): Promise<Unconfirmed | undefined> {
  return handle.first(
    build
      .selectFrom('verifications')
      .innerJoin('people', (on) =>
        on.on(sql<string>`people.id::text`, '=', (row) => row.ref('verifications.value')),
      )
      .innerJoin('credentials', 'credentials.person_id', 'people.id')
      .select([
        'people.id',
        'people.email',
        'credentials.password',
        'credentials.created_at as password_given_at',
      ])
      .where('verifications.identifier', '=', identifier)
      .where('verifications.expires_at', '>', timestamp(now))
      .where('people.email_verified', '=', false)
      .where('credentials.password', 'is not', null)
      .$castTo<Unconfirmed>(),
  );
}

/** Uses up a link. @returns false when there was none, or it had expired */
export async function takeVerification(
  handle: WriteHandle,
  identifier: string,
  now: Instant,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .deleteFrom('verifications')
      .where('identifier', '=', identifier)
      .where('expires_at', '>', timestamp(now))
      .returning('id'),
  );
  return rows.length === 1;
}

/** Links to confirm an address or choose a password, and second steps that were begun. */
export async function endVerificationsOf(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('verifications').where('value', '=', personId));
}
