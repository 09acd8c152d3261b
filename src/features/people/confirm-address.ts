import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { type Failure, fail, invalid } from '../../platform/failure.ts';
import { identifierOf, takeLink } from './links.ts';
import { type HashPassword, verifyPassword } from './passwords.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import { type Chosen, readChosen, replaceChoice } from './sign-up.ts';
import * as personStore from './store-people.ts';
import * as verificationStore from './store-verifications.ts';

interface ConfirmParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly attempts: SignInAttempts;
}

const BAD_LINK = 'Este enlace ya no sirve: venció, ya se usó o hay uno más reciente en tu correo.';
const NOT_THIS_PASSWORD =
  'Esa no es la contraseña de este registro. Si no la recuerdas o no te registraste tú, elige otra aquí mismo.';

/**
 * Confirms an address for the person who both reads its mail and knows the registered password: the
 * mail alone may come from a stranger's registration.
 * @returns the address
 * @throws Failure invalid_request, too_many_requests
 */
export async function confirmAddress(
  parts: ConfirmParts,
  { token, password }: { token: string; password: string },
): Promise<string> {
  const person = await personOf(parts, token);
  await parts.attempts.count('password', person.id);
  if (!(await verifyPassword({ hash: person.password, password })))
    throw invalid('password', NOT_THIS_PASSWORD);
  await parts.database.write((handle) => confirm(parts, handle, token, person));
  return person.email;
}

/**
 * Confirms an address for the person who reads its mail, with a password, a name and an
 * organisation of their own in place of those of the registration.
 * @returns the address
 * @throws Failure invalid_request
 */
export async function confirmAnew(
  parts: ConfirmParts & { readonly hashPassword: HashPassword },
  token: string,
  given: Chosen,
): Promise<string> {
  const person = await personOf(parts, token);
  const chosen = readChosen(given, person.email);
  const hash = await parts.hashPassword(chosen.password);
  await parts.database.write(async (handle) => {
    await confirm(parts, handle, token, person, { ...chosen, hash });
  });
  return person.email;
}

/**
 * The link is used up first: of two simultaneous requests, and after a later registration, none
 * confirms.
 */
export async function confirm(
  { clock, attempts }: ConfirmParts,
  handle: WriteHandle,
  token: string,
  { id, email }: verificationStore.Unconfirmed,
  chosen?: Chosen & { hash: string },
): Promise<void> {
  const at = clock.now();
  if (!(await takeLink(handle, 'confirm-address', token, at))) throw badLink();
  if (chosen && !(await replaceChoice(handle, id, chosen, at))) throw badLink();
  await personStore.markVerified(handle, id, at);
  await verificationStore.endVerificationsOf(handle, id);
  await attempts.forgive(handle, email);
}

/** The registration that the link of a mail confirms; undefined = the link no longer works. */
export function registrationBy(
  { database, clock }: Pick<ConfirmParts, 'database' | 'clock'>,
  token: string,
): Promise<verificationStore.Unconfirmed | undefined> {
  const identifier = identifierOf('confirm-address', token);
  return database.read((handle) =>
    verificationStore.unconfirmedBy(handle, identifier, clock.now()),
  );
}

async function personOf(
  parts: ConfirmParts,
  token: string,
): Promise<verificationStore.Unconfirmed> {
  const person = await registrationBy(parts, token);
  if (!person) throw badLink();
  return person;
}

export function badLink(): Failure {
  return fail('invalid_request', { message: BAD_LINK, details: { link: 'ended' } });
}
