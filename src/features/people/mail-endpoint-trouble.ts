import type { WriteScope } from '../../platform/db/database.ts';
import type { MailParts } from './mail-ending-keys.ts';
import { type EndpointTrouble, endpointMail } from './mails.ts';
import { membersOf } from './members.ts';
import { may } from './roles.ts';

/** Mails the members who manage keys what is wrong with an endpoint, and what they can do. */
export async function mailTroubledEndpoint(
  scope: WriteScope,
  { postbox, publicUrl }: Pick<MailParts, 'postbox' | 'publicUrl'>,
  about: Omit<EndpointTrouble, 'organizationId'>,
): Promise<void> {
  const trouble = { ...about, organizationId: scope.organizationId };
  const readers = (await membersOf(scope)).filter(({ role }) => may(role, 'manage_keys'));
  for (const reader of readers)
    await postbox.put(scope.handle, endpointMail(publicUrl, reader, trouble));
}
