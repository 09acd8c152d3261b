/** What all pages about webhooks share: permission, the plan's capability, navigation. */
import { findService, SERVICES } from '../../../carriers/registry.ts';
import { effectiveTerms } from '../../../features/organizations/index.ts';
import { mustBeAbleTo } from '../../../features/people/index.ts';
import type { PersonDoing } from '../../../features/trail/index.ts';
import type { WriteScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { SITE_PAGES } from '../../../platform/site-pages.ts';
import { type Html, html } from '../../page.ts';
import {
  addressIn,
  inOrganization,
  type PageMembership,
  suspensionNote,
  writeAs,
} from '../membership.ts';
import type { PageRequest, Reply } from '../page-request.ts';

const HOME = SITE_PAGES.webhooks.path;
export const WEBHOOK_PATHS = {
  list: HOME,
  new: `${HOME}/nuevo`,
  one: `${HOME}/endpoint`,
  change: `${HOME}/cambiar`,
  state: `${HOME}/estado`,
  test: `${HOME}/probar`,
  resend: `${HOME}/reenviar`,
  rotate: `${HOME}/rotar`,
  remove: `${HOME}/eliminar`,
  events: `${HOME}/eventos`,
  event: `${HOME}/evento`,
  types: `${HOME}/tipos`,
  signature: `${HOME}/firma`,
} as const;
export type WebhookPage = keyof typeof WEBHOOK_PATHS;

const AROUND = [
  ['list', 'Endpoints'],
  ['events', 'Registro de eventos'],
  ['types', 'Tipos de evento'],
  ['signature', 'Verificar la firma'],
] as const satisfies readonly (readonly [WebhookPage, string])[];

/** For members with the right to manage keys: an endpoint gives data away, as a key does. */
export function atWebhooks(
  request: PageRequest,
  page: WebhookPage,
  work: (membership: PageMembership) => Promise<Reply>,
): Promise<Reply> {
  return inOrganization(request, returnPathOf(request, page), (membership) => {
    mustBeAbleTo(membership.role, 'manage_keys');
    return work(membership);
  });
}

/** Where a person comes back to: most forms have no page at their own path. */
function returnPathOf({ isForm, form }: PageRequest, page: WebhookPage): string {
  if (!isForm || page === 'new') return WEBHOOK_PATHS[page];
  return form.has('endpoint') ? WEBHOOK_PATHS.one : WEBHOOK_PATHS.list;
}

export function write<T>(
  request: PageRequest,
  membership: PageMembership,
  work: (scope: WriteScope, by: PersonDoing) => Promise<T>,
): Promise<T> {
  return writeAs(request, membership, 'manage_keys', work);
}

/** @throws Failure plan_does_not_include_webhooks */
export function requireEndpoints({ organization }: PageMembership): void {
  if (effectiveTerms(organization).webhooks !== 'full')
    throw fail('plan_does_not_include_webhooks');
}

/** The organisation, and the pages about webhooks, the present one among them. */
export function headOf(membership: PageMembership, page: WebhookPage): Html {
  const hasLog = effectiveTerms(membership.organization).eventDays > 0;
  const links = AROUND.filter(([to]) => hasLog || to !== 'events').map(([to, name]) => {
    const here = to === page ? html` aria-current="page"` : html``;
    return html`<li><a href="${addressIn(membership, WEBHOOK_PATHS[to])}"${here}>${name}</a></li>`;
  });
  return html`${suspensionNote(membership)}<nav aria-label="Webhooks"><ul class="tabs">${links}</ul></nav>`;
}

/** A list of what has no own words: «todos» where nothing is chosen. */
export function listed(given: readonly string[], none: string): string {
  return given.length === 0 ? none : given.join(', ');
}

/** Its name for people; a slug that is not known is shown as it is. */
export function serviceName(slug: string): string {
  const known = SERVICES.find((one) => one === slug);
  return known === undefined ? slug : (findService(known)?.name ?? slug);
}
