import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import type { Postbox } from '../../platform/mail.ts';
import type { Instant } from '../../platform/time.ts';
import { createOrganization } from '../organizations/index.ts';
import { isEmail, normalEmail } from './email.ts';
import { acceptInvitation, findInvitation, type Invitation } from './invitations.ts';
import { alreadyRegisteredMail, resetMail, verificationMail } from './mails.ts';
import { join } from './members.ts';
import { makePasswordToken } from './password-links.ts';
import { hashPassword, passwordFault } from './passwords.ts';
import * as store from './store.ts';

export interface SignUp {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly organization: string;
  /** Where the request came from. */
  readonly address: string;
}

interface SignUpParts {
  readonly database: Database;
  readonly postbox: Postbox;
  readonly publicUrl: string;
  readonly clock: Clock;
  mayMail(email: string): Promise<boolean>;
  /** What the mail's link carries. */
  verificationToken(email: string): Promise<string>;
}

const LONGEST_NAME = 80;

/**
 * A person, their organisation on Demo and themselves as its owner, in one transaction with the mail that confirms the
 * address. An address that is known already gets a mail that says so, unless it got too many; whoever asked sees the
 * same in all cases.
 * @throws Failure invalid_request
 */
export async function signUp(parts: SignUpParts, given: SignUp): Promise<void> {
  const wanted = readSignUp(given);
  const [mayMail, hash, token] = await Promise.all([
    parts.mayMail(wanted.email),
    hashPassword(wanted.password),
    parts.verificationToken(wanted.email),
  ]);
  await parts.database.write(async (handle) => {
    const person = {
      id: newId(),
      name: wanted.name,
      email: wanted.email,
      isVerified: false,
      at: parts.clock.now(),
    };
    if (!(await store.insertPerson(handle, person)))
      return mayMail ? tellKnown(parts, handle, wanted.email) : undefined;
    await store.insertPassword(handle, { id: newId(), personId: person.id, hash, at: parts.clock.now() });
    const { id } = await createOrganization(handle, parts.clock, {
      name: wanted.organization,
      plan: 'demo',
    });
    await join(handle.within(id), { personId: person.id, address: given.address }, person.id, 'owner');
    await parts.postbox.put(handle, verificationMail(parts.publicUrl, person, token));
  });
}

/**
 * A person who was invited and has no account yet. The invitation came by mail, so the address is confirmed.
 * @throws Failure invalid_request, invitation_not_valid
 */
export async function signUpInvited(
  database: Database,
  given: { token: string; name: string; password: string; address: string },
  now: Instant,
): Promise<{ email: string; personId: string; invitation: Invitation }> {
  const { email } = await database.read((handle) => findInvitation(handle, given.token, now));
  const name = readName(given.name);
  refuseWeak(given.password, { email, name });
  const hash = await hashPassword(given.password);
  return database.write(async (handle) => {
    const person = { id: newId(), name, email, isVerified: true, at: now, address: given.address };
    if (!(await store.insertPerson(handle, person)))
      throw invalid('email', 'Ese correo ya tiene una cuenta. Entra con ella para aceptar la invitación.');
    await store.insertPassword(handle, { id: newId(), personId: person.id, hash, at: now });
    const invitation = await acceptInvitation(handle, given.token, person, now);
    return { email, personId: person.id, invitation };
  });
}

/** For whoever proved to own the address: everybody else must not learn it. */
export async function isRegistered(handle: Handle, email: string): Promise<boolean> {
  return (await store.personByEmail(handle, normalEmail(email))) !== undefined;
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
  return name;
}

function readSignUp(given: SignUp): SignUp {
  const email = normalEmail(given.email);
  if (!isEmail(email)) throw invalid('email', 'Escribe un correo válido, como nombre@empresa.mx.');
  const name = readName(given.name);
  const organization = plainLine(given.organization) || name;
  if (organization.length > 120 || /\p{Control}/u.test(organization))
    throw invalid('organization', 'El nombre de la organización puede tener hasta 120 caracteres.');
  refuseWeak(given.password, { email, name });
  return { ...given, name, email, organization };
}

/** One line, without what would turn the words around it. */
function plainLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

async function tellKnown(parts: SignUpParts, handle: WriteHandle, email: string): Promise<void> {
  const known = await store.personByEmail(handle, email);
  if (!known) return;
  // Whoever began with this address may not own it: its password is chosen anew by whoever reads its mail.
  const mail = known.email_verified
    ? alreadyRegisteredMail(parts.publicUrl, known)
    : resetMail(
        parts.publicUrl,
        known,
        await makePasswordToken(handle, known.id, parts.clock.now(), { minutes: 30 }),
      );
  await parts.postbox.put(handle, mail);
}
