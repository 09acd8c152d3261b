import {
  findOrganization,
  isTrialOver,
  type Organization,
} from '../../features/organizations/index.ts';
import {
  type Action,
  authorize,
  type Member,
  membershipsOf,
  noteEvent,
  type PersonEvent,
  ROLE_NAMES,
  type Role,
  type SignedIn,
} from '../../features/people/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import type { Operator } from '../../platform/operator.ts';
import { dayIn, type Instant, momentIn } from '../../platform/time.ts';
import { addressOf, rememberedOrganization, signInAddress } from '../navigation.ts';
import { alarm, type Html, html, linkTo } from '../page.ts';
import { NOT_YOURS, suspensionOf } from '../words.ts';
import { type PageRequest, type Reply, sessionUse } from './page-request.ts';

/** A person's membership in the organisation of a page. */
export interface PageMembership {
  readonly person: SignedIn;
  readonly role: Role;
  readonly organization: Organization;
  /** Its data can be read, and nothing is granted there. */
  readonly isTrialOver: boolean;
  /** Whom the members of a suspended organisation ask. */
  readonly operator: Operator;
}

/**
 * Answers for the organisation that `organizacion` names, or the only one that the person belongs
 * to. A person without a session, or with several organisations and none named, is answered here.
 * @param path of the page, to which both come back
 */
export async function inOrganization(
  request: PageRequest,
  path: string,
  work: (membership: PageMembership) => Promise<Reply>,
): Promise<Reply> {
  const person = await request.people.signedIn(request.headers, sessionUse(request.headers));
  if (!person) {
    const { isForm, form, query } = request;
    const back = pathWith(path, isForm ? namesOfPage(form) : query);
    return { to: signInAddress(back, isForm) };
  }
  const memberships = await pageMembershipsOf(request, person);
  const named = request.form.get('organizacion') ?? request.query.get('organizacion');
  const asked = named ?? remembered(request, memberships);
  const chosen =
    asked === '' && memberships.length === 1
      ? memberships[0]
      : memberships.find(({ organization }) => organization.id === asked);
  if (chosen) return work(chosen);
  if (asked !== '') throw fail('not_found', { message: NOT_YOURS });
  return memberships.length === 0 ? nowhere() : choicePage(path, memberships);
}

/** Of a form's fields, what the address of a page has, too: the others were for the act. */
function namesOfPage(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    ['organizacion', 'endpoint'].flatMap((name) => {
      const value = form.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Writes as this person, whose role must still allow the action. @throws Failure insufficient_role */
export function writeAs<T>(
  { database, address }: PageRequest,
  { organization, person }: PageMembership,
  action: Action,
  work: (scope: WriteScope, by: PersonDoing) => Promise<T>,
): Promise<T> {
  return database.within(organization.id).write(async (scope) => {
    await authorize(scope, person.id, action);
    return work(scope, { personId: person.id, address });
  });
}

/** What the person looked at last, where the address names none; '' = nothing of theirs. */
function remembered({ headers }: PageRequest, memberships: readonly PageMembership[]): string {
  const id = rememberedOrganization(headers.cookie);
  return memberships.some(({ organization }) => organization.id === id) ? (id ?? '') : '';
}

/** Names of the members, by id. */
export function namesOf(members: readonly Member[]): ReadonlyMap<string, string> {
  return new Map(members.map(({ personId, name }) => [personId, name]));
}

/** The name of a member; of a former member only the id is known. */
export function nameIn(names: ReadonlyMap<string, string>, personId: string): string {
  return names.get(personId) ?? 'una persona que ya no está';
}

/** One line in the log of what the person did there. */
export function noteEventIn(
  { log }: PageRequest,
  { organization, person }: PageMembership,
  event: PersonEvent,
  more: { subject: string; role?: Role },
): void {
  noteEvent(log, event, { person: person.id, organization: organization.id, ...more });
}

/** A moment in the time zone of the organisation, as its panel shows it. */
export function momentFor({ organization }: PageMembership, instant: Instant): string {
  return momentIn(organization.timezone, instant);
}

export function dayFor({ organization }: PageMembership, instant: Instant): string {
  return dayIn(organization.timezone, instant);
}

/** A page's address for this organisation. */
export function addressIn(
  { organization }: PageMembership,
  path: string,
  more: Record<string, string> = {},
) {
  return pathWith(path, new URLSearchParams({ organizacion: organization.id, ...more }));
}

/** What every form about an organisation carries. */
export function hiddenIn(
  { organization }: PageMembership,
  more: Record<string, string> = {},
): Html {
  const fields = Object.entries({ organizacion: organization.id, ...more });
  return html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/**
 * Call it before acts that grant something. Acts that take it away stay allowed: revoking, disconnecting,
 * removing.
 * @throws Failure organization_suspended
 */
export function refuseSuspended({ organization }: PageMembership): void {
  if (organization.isSuspended) throw fail('organization_suspended');
}

/**
 * Call it before acts that the panel refuses after the trial, too.
 * @throws Failure trial_ended
 */
export function refuseAfterTrial({ isTrialOver }: PageMembership): void {
  if (isTrialOver) throw fail('trial_ended');
}

/** Where the plan is changed. */
export function plansLink({ organization }: PageMembership): Html {
  return html`<a href="${addressOf('settings', organization.id)}">Ver los planes</a>`;
}

/** That the trial is over, where it is, with the way on. */
export function trialNote(membership: PageMembership): Html {
  if (!membership.isTrialOver) return html``;
  return html`<p role="note">${fail('trial_ended').message} ${plansLink(membership)}</p>`;
}

/** That the organisation is suspended, where it is. */
export function suspensionNote({ organization, role, operator }: PageMembership): Html {
  return organization.isSuspended ? alarm(suspensionOf(organization.name, role, operator)) : html``;
}

async function pageMembershipsOf(
  { database, clock, operator }: PageRequest,
  person: SignedIn,
): Promise<PageMembership[]> {
  const now = clock.now();
  return database.read(async (handle) => {
    const memberships: PageMembership[] = [];
    for (const { organizationId, role } of await membershipsOf(handle, person.id)) {
      const organization = await findOrganization(handle, organizationId);
      if (!organization) continue;
      const isOver = isTrialOver(organization, now);
      memberships.push({ person, role, organization, isTrialOver: isOver, operator });
    }
    return memberships;
  });
}

function choicePage(path: string, memberships: readonly PageMembership[]): Reply {
  return {
    title: '¿De qué organización?',
    body: html`<ul>${memberships.map(
      (membership) =>
        html`<li><a href="${addressIn(membership, path)}">${membership.organization.name}</a> (${ROLE_NAMES[membership.role]}${membership.organization.isSuspended ? '; suspendida' : ''})</li>`,
    )}</ul>
      <p>${linkTo('account', 'Volver a mi cuenta')}</p>`,
  };
}

function nowhere(): Reply {
  return {
    title: 'Sin organización',
    body: html`<p>Tu cuenta no pertenece a ninguna organización. Pide una invitación a quien administra la tuya.</p>
      <p>${linkTo('account', 'Volver a mi cuenta')}</p>`,
  };
}

function pathWith(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
