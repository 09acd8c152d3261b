import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Postbox } from '../../platform/mail.ts';
import { badLink } from './confirm-address.ts';
import { noteEvent, noteOwnAct } from './events.ts';
import { personOfLink, takeLink } from './links.ts';
import { firstPasswordMail, passwordResetMail } from './mails.ts';
import { type HashPassword, withKnownAccountPriority } from './passwords.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import { refuseWeak } from './sign-up.ts';
import * as personStore from './store-people.ts';
import * as factorStore from './store-second-factors.ts';
import * as sessionStore from './store-sessions.ts';
import * as verificationStore from './store-verifications.ts';

interface ChoosingParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly postbox: Postbox;
  readonly publicUrl: () => string;
  readonly attempts: SignInAttempts;
  readonly hashPassword: HashPassword;
}

/** What a link by mail and its form give. */
export interface ChosenPassword {
  readonly token: string;
  readonly password: string;
  /** The client's address. */
  readonly address: string;
}

/**
 * Chooses a password with a link by mail, and ends all sessions. The link is used up with the change
 * itself: a refusal, or a full queue of hashes, leaves it usable.
 * @throws Failure invalid_request, Overload
 */
export async function choosePassword(
  parts: ChoosingParts,
  { token, password, address }: ChosenPassword,
): Promise<void> {
  const { database, clock } = parts;
  const person = await database.read((handle) => ownerOfLink(handle, token, clock));
  refuseWeak(password, person);
  const hash = await withKnownAccountPriority(person.email, () => parts.hashPassword(password));
  await database.write(async (handle) => {
    if (!(await takeLink(handle, 'reset-password', token, clock.now()))) throw badLink();
    await replacePassword(parts, handle, { ...person, hash, address });
  });
}

async function ownerOfLink(
  handle: Handle,
  token: string,
  clock: Clock,
): Promise<personStore.PersonRow> {
  const id = await personOfLink(handle, 'reset-password', token, clock.now());
  const person = id === null ? undefined : await personStore.personById(handle, id);
  if (!person) throw badLink();
  return person;
}

/**
 * The link was mailed, so it proves the address alone. A thief may have added passkeys: each is
 * suspended until it is used beside the new password, and goes on asking for a second factor.
 */
async function replacePassword(
  { clock, log, postbox, publicUrl, attempts }: ChoosingParts,
  handle: WriteHandle,
  person: personStore.PersonRow & { readonly hash: string; readonly address: string },
): Promise<void> {
  const { id, hash, address } = person;
  const at = clock.now();
  const isFirst = !(await personStore.hasPassword(handle, id));
  await personStore.removePassword(handle, id);
  await personStore.insertPassword(handle, { id: newId(), personId: id, hash, at });
  await personStore.markVerified(handle, id, at);
  await sessionStore.endSessionsOf(handle, id);
  await verificationStore.endVerificationsOf(handle, id);
  await attempts.forgive(handle, person.email);
  const suspended = await factorStore.suspendPasskeys(handle, id, at);
  const act = isFirst ? 'password_chosen' : 'password_reset';
  await noteOwnAct(handle, { personId: id, address }, act);
  handle.afterCommit(() => noteEvent(log, act, { person: id }));
  const mail =
    isFirst && suspended === 0
      ? firstPasswordMail(publicUrl(), person)
      : passwordResetMail(publicUrl(), person, suspended > 0);
  await postbox.put(handle, mail);
}
