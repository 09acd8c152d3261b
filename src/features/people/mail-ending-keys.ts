import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteScope } from '../../platform/db/database.ts';
import type { Postbox } from '../../platform/mail.ts';
import { type EndingKey, endingKeys, noteEndMailed } from '../keys/index.ts';
import { findOrganization } from '../organizations/index.ts';
import { keyEndMail } from './mails.ts';
import { membersOf } from './members.ts';
import { may } from './roles.ts';

export interface MailParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly postbox: Postbox;
  readonly publicUrl: string;
}

/**
 * Notifies the people who manage keys, by mail, that one of them ends soon: at 14 days and at 3,
 * each once, or at the first run after.
 */
export async function mailEndingKeys(parts: MailParts): Promise<void> {
  const ending = await parts.database.read((handle) => endingKeys(handle, parts.clock.now()));
  for (const one of ending)
    await parts.database
      .within(one.key.organizationId)
      .write((scope) => mailKeyManagers(parts, scope, one));
}

async function mailKeyManagers(
  { postbox, publicUrl }: MailParts,
  scope: WriteScope,
  ending: EndingKey,
): Promise<void> {
  const { key } = ending;
  const organization = await findOrganization(scope.handle, key.organizationId);
  const readers = (await membersOf(scope)).filter(({ role }) => may(role, 'manage_keys'));
  // A suspended organisation's keys open nothing. Without a recipient nothing is noted, so that a
  // manager who joins in time is notified.
  if (!organization || organization.isSuspended || key.expiresAt === null || readers.length === 0)
    return;
  if (!(await noteEndMailed(scope, ending))) return;
  const { organizationId, name, lastFour, expiresAt } = key;
  const facts = { name, lastFour, expiresAt, organizationId, organizationName: organization.name };
  for (const reader of readers)
    await postbox.put(scope.handle, keyEndMail(publicUrl, reader, facts));
}
