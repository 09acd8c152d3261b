/** The navigation of pages and panel: one table, one frame. */
import {
  effectiveTerms,
  findOrganization,
  isTrialOver,
  type Organization,
} from '../features/organizations/index.ts';
import {
  type Action,
  type Membership,
  may,
  membershipsOf,
  ROLE_NAMES,
  type Role,
} from '../features/people/index.ts';
import type { PlanTerms } from '../features/plans/index.ts';
import type { Handle } from '../platform/db/database.ts';
import { SITE_PAGES, type SitePage } from '../platform/site-pages.ts';
import { type Instant, momentIn } from '../platform/time.ts';

/** What a plan includes, where not every plan does. */
type Capability = 'api' | 'webhooks';

/** What a screen or an operation requires of the person's role and of the organisation's plan. */
export interface Requirement {
  /** Null = every member. */
  readonly action: Action | null;
  /** Null = every plan. */
  readonly capability: Capability | null;
}

interface Entry extends Requirement {
  readonly place: SitePage;
  readonly group: 'work' | 'organization';
  /** `g`, then this letter; null = none. */
  readonly letter: string | null;
}

/** Every page of the navigation, in its order. */
const NAVIGATION: readonly Entry[] = [
  { place: 'home', group: 'work', letter: 'i', action: null, capability: null },
  { place: 'orders', group: 'work', letter: 'o', action: 'read_orders', capability: null },
  { place: 'warehouse', group: 'work', letter: 'l', action: 'read_lines', capability: null },
  { place: 'shipments', group: 'work', letter: 'p', action: 'read_shipments', capability: null },
  { place: 'sales', group: 'work', letter: 'v', action: 'read_sales', capability: null },
  { place: 'inventory', group: 'work', letter: 'n', action: 'read_inventory', capability: null },
  { place: 'balances', group: 'work', letter: 's', action: 'read_money', capability: null },
  { place: 'withheld', group: 'work', letter: 'x', action: 'read_money', capability: null },
  { place: 'findings', group: 'work', letter: 'r', action: 'read_money', capability: null },
  { place: 'figures', group: 'work', letter: 'd', action: 'read_money', capability: null },
  { place: 'cfdis', group: 'work', letter: 'f', action: 'read_money', capability: null },
  {
    place: 'connections',
    group: 'work',
    letter: 'c',
    action: 'manage_connections',
    capability: null,
  },
  { place: 'settings', group: 'organization', letter: 'j', action: null, capability: null },
  { place: 'members', group: 'organization', letter: 'm', action: null, capability: null },
  { place: 'keys', group: 'organization', letter: 'k', action: 'manage_keys', capability: 'api' },
  {
    place: 'webhooks',
    group: 'organization',
    letter: 'w',
    action: 'manage_keys',
    capability: 'webhooks',
  },
  {
    place: 'agents',
    group: 'organization',
    letter: 'a',
    action: 'connect_agents',
    capability: 'api',
  },
  { place: 'usage', group: 'organization', letter: 'u', action: 'manage_keys', capability: 'api' },
  { place: 'sheet', group: 'organization', letter: 'h', action: 'manage_keys', capability: 'api' },
  {
    place: 'exports',
    group: 'organization',
    letter: 'e',
    action: 'read_orders',
    capability: null,
  },
  {
    place: 'activity',
    group: 'organization',
    letter: 't',
    action: 'read_activity',
    capability: null,
  },
];

/** The reader of a frame: a person in an organisation. */
export interface Reader {
  readonly role: Role;
  readonly organization: Organization;
}

export function includes(terms: PlanTerms, capability: Capability | null): boolean {
  if (capability === null) return true;
  return capability === 'api' ? terms.api : terms.webhooks !== 'none';
}

/** An organisation of samples is for one person, and has no real accounts. */
const NOT_IN_SAMPLES: readonly Action[] = ['manage_connections', 'manage_plan'];

/** Whether the action is open in this organisation, to any role. */
export function isOpenIn({ isSample }: Organization, action: Action | null): boolean {
  return !isSample || action === null || !NOT_IN_SAMPLES.includes(action);
}

/** Whether the role, the organisation and the plan allow it. */
export function allows(
  { role, organization }: Reader,
  { action, capability }: Requirement,
): boolean {
  const isAble = action === null || (may(role, action) && isOpenIn(organization, action));
  return isAble && includes(effectiveTerms(organization), capability);
}

const PANEL = SITE_PAGES.home.path;
const DAY_MS = 86_400_000;

/** The plan as the frame shows it, in words. */
export function planInWords(organization: Organization, now: Instant): string {
  const { plan, trialEndsAt, isSample } = organization;
  if (isSample) return 'Datos de ejemplo';
  if (plan !== 'demo' || trialEndsAt === null) return `Plan ${effectiveTerms(organization).name}`;
  if (isTrialOver(organization, now)) return 'Prueba terminada';
  const left = trialEndsAt.since(now).total('milliseconds');
  const days = Math.max(1, Math.ceil(left / DAY_MS));
  return days === 1 ? 'Queda 1 día de prueba' : `Quedan ${days} días de prueba`;
}

/** The address of a page for this organisation. */
export function addressOf(page: SitePage, organizationId: string): string {
  const { path } = SITE_PAGES[page];
  if (path === PANEL || path.startsWith(`${PANEL}/`))
    return `${PANEL}/${organizationId}${path.slice(PANEL.length)}`;
  return `${path}?organizacion=${organizationId}`;
}

/** The address of a page of the navigation; null = the reader has no access to it. */
export function pathOf(reader: Reader, page: SitePage): string | null {
  const entry = NAVIGATION.find(({ place }) => place === page);
  return entry && allows(reader, entry) ? addressOf(page, reader.organization.id) : null;
}

/** A link of the navigation. */
interface NavigationLink {
  readonly place: SitePage;
  readonly name: string;
  readonly address: string;
  readonly group: 'work' | 'organization';
  readonly letter: string | null;
}

/** What surrounds a page: the person, the organisation and where they may go. */
export interface Frame {
  readonly person: { readonly name: string; readonly email: string };
  /** Null = the person belongs to none. */
  readonly membership: Reader | null;
  readonly memberships: readonly Membership[];
  readonly links: readonly NavigationLink[];
}

/** @param preferred ids of organisations; the first that the person belongs to counts */
export async function frameOf(
  handle: Handle,
  person: { readonly id: string; readonly name: string; readonly email: string },
  preferred: readonly (string | null)[],
): Promise<Frame> {
  const memberships = await membershipsOf(handle, person.id);
  const of = (id: string | null) => memberships.find(({ organizationId }) => organizationId === id);
  const chosen = preferred.map(of).find((one) => one !== undefined) ?? memberships[0];
  const organization = chosen && (await findOrganization(handle, chosen.organizationId));
  const membership = organization ? { role: chosen.role, organization } : null;
  return {
    person: { name: person.name, email: person.email },
    membership,
    memberships,
    links: membership ? linksFor(membership) : [],
  };
}

/** The role in words, and when the organisation was made where another one reads the same. */
export function roleIn(membership: Membership, all: readonly Membership[]): string {
  const { organizationName, role, timezone, madeAt } = membership;
  const alike = all.filter((one) => one.organizationName === organizationName && one.role === role);
  const name = ROLE_NAMES[role];
  return alike.length < 2 ? name : `${name}, creada el ${momentIn(timezone, madeAt)}`;
}

function linksFor(reader: Reader): NavigationLink[] {
  return NAVIGATION.filter((entry) => allows(reader, entry)).map(({ place, group, letter }) => ({
    place,
    name: SITE_PAGES[place].name,
    address: addressOf(place, reader.organization.id),
    group,
    letter,
  }));
}

const REMEMBERED = 'tianguis_organizacion';
const REMEMBERED_SECONDS = 365 * 24 * 3_600;

/** The organisation that the person looked at last; null = none that is an id. */
export function rememberedOrganization(cookie: string | undefined): string | null {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  const [, id = ''] = pairs.find(([name]) => name === REMEMBERED) ?? [];
  return /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

/** A value of Set-Cookie. */
export function rememberOrganization(organizationId: string, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${REMEMBERED}=${organizationId}; Path=/; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** The word in the address of the sign-in for a form that a session did not outlive. */
export const SESSION_ENDED = 'sesion';

/**
 * The sign-in page's address, for a person without a session.
 * @param back where to go afterwards: a page, never the path of a form alone
 * @param wasForm a form was sent: the sign-in page says that nothing was done
 */
export function signInAddress(back: string, wasForm: boolean): string {
  return signInSaying(back, wasForm ? SESSION_ENDED : null);
}

/**
 * The sign-in page with what it says, and where it leads.
 * @param note a word of the page's notes
 */
export function signInSaying(back: string, note: string | null): string {
  const query = new URLSearchParams();
  if (back !== PANEL) query.set('volver', back);
  if (note !== null) query.set('aviso', note);
  return query.size === 0 ? SITE_PAGES.signIn.path : `${SITE_PAGES.signIn.path}?${query}`;
}
