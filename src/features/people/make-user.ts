import type { WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import { isEmail, normalEmail } from './email.ts';
import { makeLink } from './links.ts';
import { addMember, changeRole, roleOf } from './members.ts';
import type { Role } from './roles.ts';
import { forgetChoice } from './sign-up.ts';
import * as personStore from './store-people.ts';

const LINK_HOURS = 24;

interface MadeUser {
  readonly personId: string;
  readonly email: string;
  /** Whether the person is new to the instance. */
  readonly isNew: boolean;
  /** Whether the person chose a password before. */
  readonly hasPassword: boolean;
  /** Its holder can choose the password, once, for a day. */
  readonly token: string;
}

/**
 * Makes, or finds, a person and their membership, for an operator who vouches for the address. An
 * existing member gets the given role.
 * @throws Failure invalid_request, last_owner
 */
export async function makeUser(
  scope: WriteScope,
  given: { email: string; role: Role },
): Promise<MadeUser> {
  const email = normalEmail(given.email);
  if (!isEmail(email)) throw invalid('email', 'El correo no es válido.');
  const now = scope.clock.now();
  const { handle } = scope;
  const [name = email] = email.split('@');
  const isNew = await personStore.insertPerson(handle, {
    id: newId(),
    name,
    email,
    isVerified: true,
    at: now,
  });
  const person = await personStore.personByEmail(handle, email);
  if (!person) throw new Error('the person vanished');
  const { id: personId } = person;
  // A stranger may have registered the address: none of their choices stays.
  if (await forgetChoice(handle, personId, { name, organization: 'Mi organización' }, now))
    await personStore.markVerified(handle, personId, now);
  const former = await roleOf(scope, personId);
  if (former === null) await addMember(scope, 'operator', { personId, role: given.role });
  else if (former !== given.role)
    await changeRole(scope, 'operator', { personId, role: given.role });
  const link = { personId, at: now, life: { hours: LINK_HOURS } };
  const hasPassword = await personStore.hasPassword(handle, personId);
  const token = await makeLink(handle, 'reset-password', link);
  return { personId, email, isNew, hasPassword, token };
}
