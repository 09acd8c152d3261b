import {
  acceptInvitation,
  findInvitation,
  type Invitation,
  isRegistered,
  joinedBy,
  noteEvent,
  ROLE_NAMES,
  type SignedIn,
  signUpInvited,
} from '../../features/people/index.ts';
import { addressOf, signInAddress, signInSaying } from '../navigation.ts';
import { alarm, besideOf, type Fault, field, type Html, html, linkTo } from '../page.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';
import { enter, orSignIn } from './sign-in.ts';
import { newPassword, privacyHint } from './sign-up.ts';

export async function invitationPage(request: PageRequest): Promise<Reply> {
  const token = request.query.get('token') ?? '';
  return orLeadIn(request, token, () => show(request, token, null));
}

export async function takeInvitation(request: PageRequest): Promise<Reply> {
  const token = typed(request, 'token');
  return orLeadIn(request, token, async () => {
    const { database, clock, people, headers, address } = request;
    const person = await people.signedIn(headers);
    if (!person) return registerInvited(request, token);
    const accepted = await database.write((handle) =>
      acceptInvitation(handle, token, { ...person, address }, clock.now()),
    );
    noteJoined(request, person.id, accepted);
    return { to: addressOf('home', accepted.organizationId) };
  });
}

/**
 * What is refused to a member is done already: a form came twice, or the mail's link was opened
 * later.
 */
function orLeadIn(request: PageRequest, token: string, work: () => Promise<Reply>): Promise<Reply> {
  return orShowAgain(work, async ({ message, code, param }) => {
    const joined = await request.database.read((handle) => joinedBy(handle, token));
    const person = await request.people.signedIn(request.headers);
    if (joined && !person) return enterAsMember(request, joined);
    if (joined && joined.email === person?.email)
      return { to: addressOf('home', joined.organizationId) };
    return code === 'invitation_not_valid'
      ? refused(message)
      : show(request, token, { message, param });
  });
}

async function registerInvited(request: PageRequest, token: string): Promise<Reply> {
  const { database, clock, people, address } = request;
  const isKnown = await database.read(async (handle) => {
    const { email } = await findInvitation(handle, token, clock.now());
    return isRegistered(handle, email);
  });
  if (isKnown) return { to: signInAddress(linkOf(token), true) };
  await people.attempts.count('sign-up', address);
  const password = typed(request, 'contrasena');
  const given = { token, name: typed(request, 'nombre'), password, address };
  const { attempts, hashPassword } = people;
  const parts = { database, attempts, hashPassword };
  const { personId, invitation } = await signUpInvited(parts, given, clock.now());
  noteJoined(request, personId, invitation);
  return enterAsMember(request, invitation);
}

/** With the password of the form, where it has one. */
async function enterAsMember(
  request: PageRequest,
  { organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>,
): Promise<Reply> {
  const home = addressOf('home', organizationId);
  const password = typed(request, 'contrasena');
  if (password === '') return { to: signInSaying(home, 'miembro') };
  return orSignIn(() => enter(request, { email, password }, home), 'miembro', home);
}

function noteJoined(
  { log }: PageRequest,
  person: string,
  { organizationId, id, role }: Invitation,
): void {
  noteEvent(log, 'member_added', { person, organization: organizationId, subject: id, role });
}

async function show(request: PageRequest, token: string, fault: Fault | null): Promise<Reply> {
  const { database, clock, people, headers } = request;
  const invitation = await database.read((handle) => findInvitation(handle, token, clock.now()));
  const person = await people.signedIn(headers);
  const known = await database.read((handle) => isRegistered(handle, invitation.email));
  const isBeside = person === null && !known && besideOf(fault, 'name', 'password') !== undefined;
  return {
    title: `Invitación a ${invitation.organizationName}`,
    body: html`${isBeside ? html`` : alarm(fault?.message ?? null)}
      <p>Te invitaron a «${invitation.organizationName}» con el rol ${ROLE_NAMES[invitation.role]}.</p>
      ${wayIn(request, invitation, { token, person, isKnown: known, fault })}`,
  };
}

interface Visit {
  readonly token: string;
  readonly person: SignedIn | null;
  /** Whether the address has an account. */
  readonly isKnown: boolean;
  readonly fault: Fault | null;
}

function wayIn(
  request: PageRequest,
  { email }: Invitation,
  { token, person, isKnown, fault }: Visit,
): Html {
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  if (person?.email === email)
    return html`<form method="post" action="/invitacion">${hidden}<button>Aceptar la invitación</button></form>`;
  if (person)
    return html`<p>La invitación es para <strong>${email}</strong>, y entraste como <strong>${person.email}</strong>.</p>
      <form method="post" action="/cuenta/salir"><button>Cerrar sesión para entrar con el otro correo</button></form>`;
  if (isKnown) {
    return html`<p><a href="${signInAddress(linkOf(token), false)}">Entra como ${email}</a> para aceptarla.</p>`;
  }
  return html`<form method="post" action="/invitacion">
      ${hidden}
      <p>Crea tu cuenta para <strong>${email}</strong>:</p>
      ${field({ name: 'nombre', label: 'Tu nombre', autocomplete: 'name', value: typed(request, 'nombre'), most: 80, wrong: besideOf(fault, 'name') })}
      ${newPassword(undefined, undefined, besideOf(fault, 'password'))}
      ${privacyHint(request.operator)}
      <button>Crear cuenta y aceptar</button>
    </form>`;
}

function linkOf(token: string): string {
  return `/invitacion?token=${encodeURIComponent(token)}`;
}

function refused(message: string): Reply {
  return {
    title: 'No se puede aceptar la invitación',
    body: html`${alarm(message)}
      <p>${linkTo('account', 'Ir a mi cuenta')}</p>`,
  };
}
