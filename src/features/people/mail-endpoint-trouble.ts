import type { WriteScope } from '../../platform/db/database.ts';
import type { Postbox } from '../../platform/mail.ts';
import { endpointMail } from './mails.ts';
import { membersOf } from './members.ts';
import { may } from './roles.ts';

/**
 * Mails the members who manage keys what is wrong with an endpoint. @param what a sentence in
 * Spanish
 */
export async function mailTroubledEndpoint(
  scope: WriteScope,
  postbox: Postbox,
  what: string,
): Promise<void> {
  const readers = (await membersOf(scope)).filter(({ role }) => may(role, 'manage_keys'));
  for (const reader of readers) await postbox.put(scope.handle, endpointMail(reader, what));
}
