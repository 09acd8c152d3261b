import { fail } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * How a session was opened. `code` and `backup_code` follow the password; a passkey needs no
 * password.
 */
export type OpenedBy = 'password' | 'code' | 'backup_code' | 'passkey';

/** The proofs of a session. Times are by our clock; null = never. */
export interface Proofs {
  /** The person has an app with one-time codes, or a passkey, be it suspended. */
  readonly hasSecondFactor: boolean;
  readonly factorUsedAt: Instant | null;
  readonly passwordGivenAt: Instant | null;
}

/** `none_enrolled`: the person has no second factor. `not_used`: this session has not used it. */
export const FACTOR_LACKS = ['none_enrolled', 'not_used'] as const;
export type FactorLack = (typeof FACTOR_LACKS)[number];

/** Where a person confirms with the second factor; `volver` in the query leads back. */
export const CONFIRM_PATH = '/cuenta/confirmar';
/** Where a person without one turns it on; `volver` likewise. */
export const ENROL_PATH = '/cuenta/segundo-paso';
/** A change of the account's own factors needs a proof that is at most this old. */
const RECENT_MINUTES = 5;

/**
 * The proof that a session lacks for keys and credentials; a deferred second factor excuses only
 * people without one.
 */
export function factorLack(session: Proofs, policy: 'required' | 'deferred'): FactorLack | null {
  if (session.hasSecondFactor) return session.factorUsedAt === null ? 'not_used' : null;
  return policy === 'required' ? 'none_enrolled' : null;
}

/**
 * `details.page` of the failure is the path of the page where the person repairs it.
 * @throws Failure second_factor_required, confirmation_required
 */
export function refuseLack(lack: FactorLack | null): void {
  if (lack === 'none_enrolled')
    throw fail('second_factor_required', { details: { page: ENROL_PATH } });
  if (lack === 'not_used') throw fail('confirmation_required', { details: { page: CONFIRM_PATH } });
}

/**
 * Whether the account's factors may change without another code or passkey: it has none, or one was
 * used just now.
 */
export function isConfirmed(session: Proofs, now: Instant): boolean {
  return !session.hasSecondFactor || isRecent(session.factorUsedAt, now);
}

/**
 * A passkey opens the account without a password, so adding one requires the password and the
 * second factor, both given just now.
 */
export function mayAddPasskey(session: Proofs, now: Instant): boolean {
  return isConfirmed(session, now) && isRecent(session.passwordGivenAt, now);
}

function isRecent(at: Instant | null, now: Instant): boolean {
  return at !== null && Temporal.Instant.compare(at.add({ minutes: RECENT_MINUTES }), now) > 0;
}
