import type { Clock } from '../../platform/clock.ts';
import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { NO_ORGANIZATION, noteRemoval } from '../removals/index.ts';
import { type Membership, membershipsOf, removeMember } from './members.ts';
import * as invitationStore from './store-invitations.ts';
import * as memberStore from './store-members.ts';
import * as personStore from './store-people.ts';
import * as verificationStore from './store-verifications.ts';

/** @throws Failure last_owner, with what to do about it */
export async function refuseLastOwner(
  handle: WriteHandle,
  { organizationId, organizationName, role }: Membership,
): Promise<void> {
  if (role !== 'owner') return;
  if ((await memberStore.countOwners(handle.within(organizationId))) > 1) return;
  throw fail('last_owner', {
    message: `Es la única persona propietaria de «${organizationName}» (${organizationId}). Antes dale ese rol a otra persona con set-role, o elimina la organización con erase-organization.`,
  });
}

/**
 * Ends the memberships of a person and erases the account with its sessions, factors, links and
 * invitations. The trail keeps its id alone.
 * @returns the organisations that the person belonged to
 * @throws Failure last_owner
 */
export async function erasePerson(
  handle: WriteHandle,
  clock: Clock,
  { id, email }: Pick<personStore.PersonRow, 'id' | 'email'>,
): Promise<string[]> {
  const organizations = (await membershipsOf(handle, id)).map((one) => one.organizationId);
  for (const organization of organizations.toSorted())
    await removeMember(handle.within(organization), 'operator', id);
  await verificationStore.endVerificationsOf(handle, id);
  await invitationStore.removeTo(handle, email);
  await personStore.removePerson(handle, id);
  const about = { handle, clock, organizationId: NO_ORGANIZATION };
  await noteRemoval(about, 'person', { person_id: id });
  return organizations;
}

/** @throws Failure not_found */
export async function personOf(handle: Handle, id: string): Promise<personStore.PersonRow> {
  const person = await personStore.personById(handle, id);
  if (person) return person;
  throw fail('not_found', { message: 'Esa cuenta no existe.' });
}
