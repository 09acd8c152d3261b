import { composeMail } from '../../platform/compose-mail.ts';
import type { Mail } from '../../platform/mail.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { hello, ofOrganization } from './mails.ts';

const MOST_ALERTS = 20;

interface MailedAlert {
  /** The account's name where the service has several; null = there is none to name. */
  readonly account: string | null;
  readonly message: string;
  /** Of the alert's kind; null = there is none, or this member has no access to it. */
  readonly page: { readonly name: string; readonly path: string } | null;
}

/** Alerts that began, for a member with mails about alerts on. */
export function alertMail(
  publicUrl: string,
  to: { email: string; name: string },
  about: {
    organizationId: string;
    organizationName: string;
    alerts: readonly MailedAlert[];
  },
): Mail {
  const { organizationId, organizationName, alerts } = about;
  const panel = `${publicUrl}${SITE_PAGES.home.path}/${organizationId}`;
  const more = alerts.length - MOST_ALERTS;
  return composeMail(to.email, 'Algo requiere tu atención en Tianguis', [
    hello(to.name),
    `Esto requiere tu atención en la cuenta ${ofOrganization(organizationName)}:`,
    ...byPage(publicUrl, alerts.slice(0, MOST_ALERTS)),
    ...(more > 0 ? [`Y ${more} más.`] : []),
    `En ${SITE_PAGES.home.name} lo ves completo y lo marcas como resuelto:`,
    panel,
    `Si no quieres recibir estos correos, desactívalos en ${SITE_PAGES.settings.name}:`,
    `${panel}/ajustes`,
  ]);
}

/** Those of one page together, then its link; those without a page last. */
function byPage(publicUrl: string, alerts: readonly MailedAlert[]): string[] {
  const pages = new Map(alerts.flatMap(({ page }) => (page ? [[page.path, page]] : [])));
  const linesAt = (path: string | null) =>
    alerts
      .filter(({ page }) => (page?.path ?? null) === path)
      .map(({ account, message }) => `- ${account === null ? '' : `${account}: `}${message}`);
  const linked = [...pages.values()].flatMap(({ name, path }) => [
    ...linesAt(path),
    `Revísalo en ${name}:`,
    `${publicUrl}${path}`,
  ]);
  return [...linked, ...linesAt(null)];
}
