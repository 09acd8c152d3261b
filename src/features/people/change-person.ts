import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import type { Postbox } from '../../platform/mail.ts';
import type { Instant } from '../../platform/time.ts';
import { noteAct } from '../trail/index.ts';
import { isEmail, normalEmail } from './email.ts';
import { accountMovedMail, accountReceivedMail } from './operator-mails.ts';
import { readName } from './sign-up.ts';
import * as memberStore from './store-members.ts';
import * as personStore from './store-people.ts';
import * as sessionStore from './store-sessions.ts';
import * as verificationStore from './store-verifications.ts';

interface ChangingParts {
  readonly postbox: Postbox;
  readonly publicUrl: string;
  /** Where the owner of the former address finds help, as a part of a sentence. */
  readonly help: string;
}

/** Absent = as it is. */
interface PersonChange {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** @throws Failure not_found */
export async function personWith(handle: Handle, email: string): Promise<personStore.PersonRow> {
  const person = await personStore.personByEmail(handle, normalEmail(email));
  if (person) return person;
  throw fail('not_found', { message: 'No existe una cuenta con ese correo.' });
}

/**
 * Changes the address or the name of a person. The operator verifies the request beforehand. A new
 * address ends sessions and links; password and second factor stay, so the operator gets no access.
 * @throws Failure invalid_request
 */
export async function changePerson(
  handle: WriteHandle,
  { postbox, publicUrl, help }: ChangingParts,
  person: personStore.PersonRow,
  { email: given, name: givenName }: PersonChange,
  at: Instant,
): Promise<personStore.PersonRow> {
  const { id } = person;
  const email = given === undefined ? person.email : normalEmail(given);
  const name = givenName === undefined ? person.name : readName(givenName);
  const changed = { ...person, email, name };
  if (email !== person.email) {
    if (!isEmail(email)) throw invalid('new-email', 'El correo no es válido.');
    if (await personStore.personByEmail(handle, email))
      throw invalid('new-email', 'Ya hay una cuenta con ese correo.');
    await sessionStore.endSessionsOf(handle, id);
    await verificationStore.endVerificationsOf(handle, id);
    await postbox.put(handle, accountMovedMail(person, help));
    await postbox.put(handle, accountReceivedMail(publicUrl, changed));
  }
  await personStore.changePerson(handle, id, { email, name, at });
  for (const { organization_id: organization } of await memberStore.membershipsOf(handle, id))
    await noteAct(handle.within(organization), 'operator', 'person_changed', { subject: id });
  return changed;
}
