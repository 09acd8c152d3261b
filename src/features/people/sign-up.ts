import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import { openPostbox } from '../../platform/mail.ts';
import { isPlainName, NO_ADDRESS_IN_NAME } from '../../platform/plain-name.ts';
import type { Queue } from '../../platform/queue.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { createOrganization, renameOrganization } from '../organizations/index.ts';
import { isEmail, normalEmail } from './email.ts';
import { acceptInvitation, findInvitation, type Invitation } from './invitations.ts';
import { makeLink } from './links.ts';
import { alreadyRegisteredMail, verificationMail } from './mails.ts';
import { join } from './members.ts';
import { type HashPassword, passwordFault } from './passwords.ts';
import { markOf } from './registration-mark.ts';
import { defineSealedJob, enqueueSealed, type SealedJobParts } from './sealed-job.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import * as memberStore from './store-members.ts';
import * as personStore from './store-people.ts';
import * as verificationStore from './store-verifications.ts';

/** A person's choices for an account: their name, that of their organisation, and the password. */
export interface Chosen {
  readonly name: string;
  readonly password: string;
  /** Empty: the person's name. */
  readonly organization: string;
}

export interface SignUp extends Chosen {
  readonly email: string;
  /** The client's address. */
  readonly address: string;
}

interface SignUpParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly queue: Queue;
  readonly attempts: SignInAttempts;
  readonly hashPassword: HashPassword;
}

const LONGEST_NAME = 80;
const CONFIRM_WITHIN = { hours: 24 };

/** A checked sign-up, as its job gets it. */
const REQUESTED = z.object({
  name: z.string(),
  organization: z.string(),
  email: z.string(),
  hash: z.string(),
  address: z.string(),
  mayMail: z.boolean(),
  at: z.string().transform((text) => Temporal.Instant.from(text)),
});

type Requested = z.infer<typeof REQUESTED>;

/**
 * Makes a person, their organisation on Demo and their ownership of it, in one transaction with the
 * mail that confirms the address. Registering an unconfirmed address again replaces all former
 * choices and ends the former link. A confirmed address gets a mail that reports the attempt. An
 * address that got too many mails stays unchanged.
 */
export const signUpJob = defineSealedJob('sign-up', (parts, request) =>
  register(parts, REQUESTED.parse(JSON.parse(request))),
);

/**
 * Requests an account. The answer, and the work before it, are the same for every address.
 * @returns the mark of this registration, for the browser that made it
 * @throws Failure invalid_request
 */
export async function signUp(parts: SignUpParts, given: SignUp): Promise<string> {
  const { name, organization, email, address, password } = readSignUp(given);
  const [mayMail, hash] = await Promise.all([
    parts.attempts.mayMail(email),
    parts.hashPassword(password),
  ]);
  const at = parts.clock.now().toString();
  const requested = { name, organization, email, hash, address, mayMail, at };
  await parts.database.write((handle) =>
    enqueueSealed(handle, parts, signUpJob, JSON.stringify(requested)),
  );
  return markOf(parts.keyring, { email, password: hash });
}

/** Mails a link that confirms the address; its page requires the registration's password. */
export async function sendConfirmation(
  { clock, queue, keyring, publicUrl }: SealedJobParts,
  handle: WriteHandle,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const link = { personId: id, at: clock.now(), life: CONFIRM_WITHIN };
  const token = await makeLink(handle, 'confirm-address', link);
  await openPostbox(queue, keyring).put(handle, verificationMail(publicUrl, { email }, token));
}

/**
 * Replaces all choices for an account with an unconfirmed address, and ends its links.
 * @param at when they were made
 * @returns false when the address was confirmed
 */
export async function replaceChoice(
  handle: WriteHandle,
  personId: string,
  chosen: Pick<Chosen, 'name' | 'organization'> & { hash: string },
  at: Instant,
): Promise<boolean> {
  if (!(await forgetChoice(handle, personId, chosen, at))) return false;
  await personStore.insertPassword(handle, { id: newId(), personId, hash: chosen.hash, at });
  return true;
}

/**
 * The same without a new password: none opens the account until one is chosen by mail.
 * @returns false when the address was confirmed
 */
export async function forgetChoice(
  handle: WriteHandle,
  personId: string,
  { name, organization }: Pick<Chosen, 'name' | 'organization'>,
  at: Instant,
): Promise<boolean> {
  if (!(await personStore.renameUnconfirmed(handle, personId, name, at))) return false;
  await verificationStore.endVerificationsOf(handle, personId);
  await personStore.removePassword(handle, personId);
  for (const id of await memberStore.ownAlone(handle, personId))
    await renameOrganization(handle, id, organization);
  return true;
}

/**
 * Makes the account of an invited person without one; that of an unconfirmed registration keeps
 * nothing of it. The invitation was mailed, so the address is confirmed.
 * @throws Failure invalid_request, invitation_not_valid
 */
export async function signUpInvited(
  { database, attempts, hashPassword }: Pick<SignUpParts, 'database' | 'attempts' | 'hashPassword'>,
  given: { token: string; name: string; password: string; address: string },
  now: Instant,
): Promise<{ personId: string; invitation: Invitation }> {
  const { email } = await database.read((handle) => findInvitation(handle, given.token, now));
  const name = readName(given.name);
  refuseWeak(given.password, { email, name });
  const hash = await hashPassword(given.password);
  return database.write(async (handle) => {
    const id = await confirmedPerson(handle, { email, name, hash }, now);
    const person = { id, email, address: given.address };
    const invitation = await acceptInvitation(handle, given.token, person, now);
    await attempts.forgive(handle, email);
    return { personId: id, invitation };
  });
}

/** Whether the address has a confirmed account. Strangers must not learn it. */
export async function isRegistered(handle: Handle, email: string): Promise<boolean> {
  return (await personStore.personByEmail(handle, normalEmail(email)))?.email_verified ?? false;
}

/** @throws Failure invalid_request */
export function refuseWeak(password: string, about: { email: string; name: string }): void {
  const fault = passwordFault(password, about);
  if (fault) throw invalid('password', fault);
}

/** @throws Failure invalid_request */
export function readName(text: string): string {
  const name = plainLine(text);
  if (name === '' || name.length > LONGEST_NAME || /\p{Control}|[<>]/u.test(name))
    throw invalid('name', `Escribe tu nombre, de 1 a ${LONGEST_NAME} caracteres.`);
  if (!isPlainName(name)) throw invalid('name', NO_ADDRESS_IN_NAME);
  return name;
}

/** @throws Failure invalid_request */
export function readChosen<Given extends Chosen>(given: Given, email: string): Given {
  const name = readName(given.name);
  const organization = plainLine(given.organization) || name;
  if (organization.length > 120 || /\p{Control}/u.test(organization))
    throw invalid('organization', 'El nombre de la organización puede tener hasta 120 caracteres.');
  if (!isPlainName(organization)) throw invalid('organization', NO_ADDRESS_IN_NAME);
  refuseWeak(given.password, { email, name });
  return { ...given, name, organization };
}

function readSignUp(given: SignUp): SignUp {
  const email = normalEmail(given.email);
  if (!isEmail(email)) throw invalid('email', 'Escribe un correo válido, como nombre@empresa.mx.');
  return { ...readChosen(given, email), email };
}

/** One line, without characters that reverse the text around it. */
function plainLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** @returns the person's id. @throws Failure invalid_request: the address was confirmed before */
async function confirmedPerson(
  handle: WriteHandle,
  { email, name, hash }: { email: string; name: string; hash: string },
  at: Instant,
): Promise<string> {
  const id = newId();
  if (await personStore.insertPerson(handle, { id, name, email, isVerified: true, at })) {
    await personStore.insertPassword(handle, { id: newId(), personId: id, hash, at });
    return id;
  }
  const former = await personStore.personByEmail(handle, email);
  if (!former || !(await replaceChoice(handle, former.id, { name, organization: name, hash }, at)))
    throw invalid(
      'email',
      'Ese correo ya tiene una cuenta. Entra con ella para aceptar la invitación.',
    );
  await personStore.markVerified(handle, former.id, at);
  return former.id;
}

async function register(parts: SealedJobParts, requested: Requested): Promise<void> {
  const { name, email, hash, address, at } = requested;
  const id = newId();
  await parts.database.write(async (handle) => {
    if (!(await personStore.insertPerson(handle, { id, name, email, isVerified: false, at })))
      return requested.mayMail ? registerAgain(parts, handle, requested) : undefined;
    await personStore.insertPassword(handle, { id: newId(), personId: id, hash, at });
    const organization = await createOrganization(handle, parts.clock, {
      name: requested.organization,
      plan: 'demo',
    });
    await join(handle.within(organization.id), { personId: id, address }, id, 'owner');
    await sendConfirmation(parts, handle, { id, email });
  });
}

async function registerAgain(
  parts: SealedJobParts,
  handle: WriteHandle,
  requested: Requested,
): Promise<void> {
  const known = await personStore.personByEmail(handle, requested.email);
  if (!known) return;
  if (known.email_verified)
    return openPostbox(parts.queue, parts.keyring).put(
      handle,
      alreadyRegisteredMail(parts.publicUrl, known),
    );
  // Jobs of two registrations may run in the opposite order.
  if (!(await personStore.lockChosenBefore(handle, known.id, requested.at))) return;
  if (await replaceChoice(handle, known.id, requested, requested.at))
    await sendConfirmation(parts, handle, known);
}
