import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

interface SessionFacts {
  readonly last_seen_at: Instant | null;
  readonly factor_used_at: Instant | null;
  readonly password_given_at: Instant | null;
  readonly passkeys: number;
}

/** The session's columns beyond those of better-auth. Suspended passkeys count: a mail takes no factor away. */
export function sessionFacts(handle: Handle, id: string): Promise<SessionFacts | undefined> {
  return handle.first(
    build
      .selectFrom('sessions')
      .select((row) => [
        'last_seen_at',
        'factor_used_at',
        'password_given_at',
        row
          .selectFrom('passkeys')
          .select((inner) => inner.fn.countAll<number>().as('count'))
          .whereRef('passkeys.person_id', '=', 'sessions.person_id')
          .as('passkeys'),
      ])
      .where('sessions.id', '=', id)
      .$castTo<SessionFacts>(),
  );
}

export function noteFactorUsed(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  return note(handle, id, 'factor_used_at', at);
}

export function notePasswordGiven(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  return note(handle, id, 'password_given_at', at);
}

export function touchSession(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  return note(handle, id, 'last_seen_at', at);
}

async function note(
  handle: WriteHandle,
  id: string,
  column: 'factor_used_at' | 'password_given_at' | 'last_seen_at',
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('sessions')
      .set({ [column]: at.toString() })
      .where('id', '=', id),
  );
}

export async function endSessionsOf(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('sessions').where('person_id', '=', personId));
}

interface SessionRow {
  readonly id: string;
  readonly created_at: Instant;
  readonly last_seen_at: Instant | null;
  readonly user_agent: string | null;
}

/** Newest first. */
export function sessionsOf(handle: Handle, personId: string): Promise<SessionRow[]> {
  return handle.rows(
    build
      .selectFrom('sessions')
      .select(['id', 'created_at', 'last_seen_at', 'user_agent'])
      .where('person_id', '=', personId)
      .orderBy('created_at', 'desc')
      .orderBy('id'),
  );
}

/** @returns false when the person has no such session */
export async function endSessionOf(
  handle: WriteHandle,
  personId: string,
  id: string,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('person_id', '=', personId)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function endSession(handle: WriteHandle, id: string): Promise<void> {
  await handle.rows(build.deleteFrom('sessions').where('id', '=', id));
}
