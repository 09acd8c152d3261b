import { type DueNotice, dueNotices, noteNotice } from '../deprecations/index.ts';
import { organizationsWithUsedKeys } from '../keys/index.ts';
import { findOrganization } from '../organizations/index.ts';
import type { MailParts } from './mail-ending-keys.ts';
import { deprecationMail } from './mails.ts';
import { membersOf } from './members.ts';
import { may } from './roles.ts';

const USED_WITHIN = { hours: 24 * 30 };

/**
 * Mails the managers of keys that were used within 30 days about the end of a version of the
 * API: 12, 6 and 1 months before it, each once.
 */
export async function mailDeprecations(parts: MailParts): Promise<void> {
  const { database, clock } = parts;
  const now = clock.now();
  for (const due of await database.read((handle) => dueNotices(handle, now))) {
    const concerned = await database.read((handle) =>
      organizationsWithUsedKeys(handle, now.subtract(USED_WITHIN)),
    );
    for (const id of concerned) await mailManagers(parts, id, due);
  }
}

function mailManagers(parts: MailParts, organizationId: string, due: DueNotice): Promise<void> {
  const { database, postbox, publicUrl } = parts;
  return database.within(organizationId).write(async (scope) => {
    const organization = await findOrganization(scope.handle, organizationId);
    const readers = (await membersOf(scope)).filter(({ role }) => may(role, 'manage_keys'));
    if (!organization || organization.isSuspended || readers.length === 0) return;
    if (!(await noteNotice(scope, due))) return;
    for (const reader of readers)
      await postbox.put(
        scope.handle,
        deprecationMail(publicUrl, reader, organization.name, due.deprecation),
      );
  });
}
