import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

interface SessionFacts {
  readonly last_seen_at: Instant | null;
  readonly factor_used_at: Instant | null;
  readonly password_given_at: Instant | null;
  readonly passkeys: number;
}

/** The session's columns beyond those of better-auth. Suspended passkeys are not counted. */
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
          .where('passkeys.suspended_at', 'is', null)
          .as('passkeys'),
      ])
      .where('sessions.id', '=', id)
      .$castTo<SessionFacts>(),
  );
}

export async function noteFactorUsed(
  handle: WriteHandle,
  sessionId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('sessions')
      .set({ factor_used_at: at.toString() })
      .where('id', '=', sessionId),
  );
}

export async function notePasswordGiven(
  handle: WriteHandle,
  sessionId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('sessions')
      .set({ password_given_at: at.toString() })
      .where('id', '=', sessionId),
  );
}

export async function touchSession(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  await handle.rows(
    build.updateTable('sessions').set({ last_seen_at: at.toString() }).where('id', '=', id),
  );
}

export async function endSession(handle: WriteHandle, id: string): Promise<void> {
  await handle.rows(build.deleteFrom('sessions').where('id', '=', id));
}
