import { hash } from 'node:crypto';
import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Act, noteAct, type PersonDoing } from '../trail/index.ts';
import { secondStepOf } from './cookies.ts';
import { normalEmail } from './email.ts';
import type { Role } from './roles.ts';
import * as memberStore from './store-members.ts';
import * as personStore from './store-people.ts';
import * as verificationStore from './store-verifications.ts';

/** Attempts to sign in are in the log alone: anyone can make them, as often as the limits allow. */
type Entering =
  | 'signed_in'
  | 'second_step_asked'
  | 'sign_in_failed'
  | 'second_step_failed'
  | 'second_factor_used'
  | 'second_factor_failed'
  | 'session_ended';
export type PersonEvent = Act | Entering;

interface EventFacts {
  /** The person who did it; null = unknown. */
  readonly person: string | null;
  readonly organization?: string;
  /** The id of the person or thing affected. */
  readonly subject?: string;
  readonly role?: Role;
  /** The library's route. */
  readonly way?: string;
}

/** A request to the library. */
export interface Asked {
  readonly path: string;
  readonly body?: object | string;
  readonly cookie: string;
}

interface RouteEvents {
  readonly done: PersonEvent;
  readonly failed?: PersonEvent;
  /** The event of the same request by a signed-in person. */
  readonly doneInside?: PersonEvent;
}

const ENTERING: ReadonlySet<string> = new Set<Entering>([
  'signed_in',
  'second_step_asked',
  'sign_in_failed',
  'second_step_failed',
  'second_factor_used',
  'second_factor_failed',
  'session_ended',
]);

const ROUTES: Readonly<Record<string, RouteEvents>> = {
  '/sign-in/email': { done: 'signed_in', failed: 'sign_in_failed' },
  '/passkey/verify-authentication': { done: 'signed_in', failed: 'sign_in_failed' },
  '/two-factor/verify-totp': {
    done: 'signed_in',
    failed: 'second_step_failed',
    doneInside: 'second_factor_added',
  },
  '/two-factor/verify-backup-code': { done: 'signed_in', failed: 'second_step_failed' },
  '/two-factor/disable': { done: 'second_factor_removed' },
  '/two-factor/generate-backup-codes': { done: 'backup_codes_renewed' },
  '/passkey/verify-registration': { done: 'passkey_added' },
  '/change-password': { done: 'password_changed' },
};

/** One log line of an act, by ids: never an address, a password, a code or a token. */
export function noteEvent(log: Log, event: PersonEvent, facts: EventFacts): void {
  log.info({ event, ...facts }, 'account event');
}

/** Whether the trail of the person's organisations records it as well. */
export function isAct(event: PersonEvent): event is Act {
  return !ENTERING.has(event);
}

/**
 * Records a person's act on their own account in the trail of every organisation that it gives
 * access to.
 */
export async function noteOwnAct(
  handle: WriteHandle,
  by: PersonDoing,
  act: Act,
  subject?: string,
): Promise<void> {
  for (const { organization_id: id } of await memberStore.membershipsOf(handle, by.personId))
    await noteAct(handle.within(id), by, act, subject === undefined ? {} : { subject });
}

/** The event of an answer of the library; null where there is none. */
export function eventOf(
  { path }: Asked,
  { status, body }: { status: number; body: { twoFactorRedirect?: boolean } | null },
  isInside: boolean,
): PersonEvent | null {
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!route) return null;
  if (status >= 400) return isInside ? null : (route.failed ?? null);
  if (body?.twoFactorRedirect) return 'second_step_asked';
  return isInside && route.doneInside ? route.doneInside : route.done;
}

/**
 * The account of a sign-in attempt: by the typed address, or by the password that was accepted
 * before.
 */
export async function whoTries(handle: Handle, { body, cookie }: Asked): Promise<string | null> {
  if (typeof body === 'object' && 'email' in body)
    return (await personStore.personByEmail(handle, normalEmail(String(body.email))))?.id ?? null;
  const step = secondStepOf(cookie);
  if (step === null) return null;
  const begun = await verificationStore.verification(handle, hash('sha256', step, 'base64url'));
  return begun?.value ?? null;
}
