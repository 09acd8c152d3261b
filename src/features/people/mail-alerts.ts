import type { Clock } from '../../platform/clock.ts';
import type { Database, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Postbox } from '../../platform/mail.ts';
import { SITE_PAGES, type SitePage } from '../../platform/site-pages.ts';
import { connectionIdIn, organizationsToMail, pageOfAlert, takeUnmailed } from '../alerts/index.ts';
import { namesOfSeveral } from '../connections/index.ts';
import { findOrganization, type Organization } from '../organizations/index.ts';
import { alertMail } from './alert-mail.ts';
import { membersOf } from './members.ts';
import { may, type Role } from './roles.ts';
import * as store from './store-members.ts';

interface MailParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly postbox: Postbox;
  readonly publicUrl: string;
  /** A page's path for this reader; null = the page is not theirs. */
  readonly pathFor: (
    reader: { readonly role: Role; readonly organization: Organization },
    page: SitePage,
  ) => string | null;
}

/**
 * Mails alerts when they begin: one mail for all of an organisation, to each member who sees
 * alerts and has these mails on. One that fails, as where an organisation is being erased, leaves
 * the others their mails. @throws AggregateError
 */
export async function mailAlerts(parts: MailParts): Promise<void> {
  const { database, clock } = parts;
  const waiting = await database.search((handle) => organizationsToMail(handle, clock.now()));
  const failures: unknown[] = [];
  for (const organizationId of waiting)
    await database
      .within(organizationId)
      .write((scope) => mailReaders(parts, scope))
      .catch((error) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'mails about alerts failed');
}

export async function wantsAlertMails(scope: ReadScope, personId: string): Promise<boolean> {
  return !(await store.withoutAlertMails(scope)).has(personId);
}

/** The choice of a member for this organisation. */
export function setAlertMails(scope: WriteScope, personId: string, wanted: boolean): Promise<void> {
  return store.setAlertMails(scope, personId, wanted);
}

async function mailReaders(
  { postbox, publicUrl, pathFor }: MailParts,
  scope: WriteScope,
): Promise<void> {
  const alerts = await takeUnmailed(scope);
  const organization = await findOrganization(scope.handle, scope.organizationId);
  // The installation's own alerts are the operator's, and a suspended organisation sees none.
  if (alerts.length === 0 || !organization || organization.isSuspended) return;
  const without = await store.withoutAlertMails(scope);
  const readers = (await membersOf(scope)).filter(
    ({ role, personId }) => may(role, 'read_alerts') && !without.has(personId),
  );
  const accounts = await namesOfSeveral(scope);
  const { id: organizationId, name: organizationName } = organization;
  for (const reader of readers) {
    const given = alerts.map(({ kind, subject, message }) => {
      const page = pageOfAlert(kind);
      const path = page && pathFor({ role: reader.role, organization }, page);
      return {
        account: accounts.get(connectionIdIn(subject)) ?? null,
        message,
        page: page && path ? { name: SITE_PAGES[page].name, path } : null,
      };
    });
    await postbox.put(
      scope.handle,
      alertMail(publicUrl, reader, { organizationId, organizationName, alerts: given }),
    );
  }
}
