import {
  acceptInvitation,
  findInvitation,
  type Invitation,
  isRegistered,
  noteEvent,
  ROLE_NAMES,
  type SignedIn,
  signUpInvited,
} from '../../features/people/index.ts';
import { alarm, field, type Html, html, linkTo } from '../page.ts';
import {
  ask,
  orShowAgain,
  type PageRequest,
  type Reply,
  typed,
  withReturn,
} from './page-request.ts';
import { newPassword, privacyHint } from './sign-up.ts';

export async function invitationPage(request: PageRequest): Promise<Reply> {
  return show(request, request.query.get('token') ?? '', null);
}

export async function takeInvitation(request: PageRequest): Promise<Reply> {
  const token = typed(request, 'token');
  const { database, clock, people, headers, address } = request;
  const person = await people.signedIn(headers);
  try {
    if (person) {
      const accepted = await database.write((handle) =>
        acceptInvitation(handle, token, { ...person, address }, clock.now()),
      );
      noteJoined(request, person.id, accepted);
      return { to: '/cuenta?aviso=invitacion' };
    }
    return await registerInvited(request, token);
  } catch (error) {
    return orShowAgain(
      async () => Promise.reject(error),
      ({ message, code }) =>
        code === 'invitation_not_valid' ? refused(message) : refused(message, token),
    );
  }
}

async function registerInvited(request: PageRequest, token: string): Promise<Reply> {
  const { database, clock, people, address } = request;
  await people.attempts.count('sign-up', address);
  const password = typed(request, 'contrasena');
  const given = { token, name: typed(request, 'nombre'), password, address };
  const parts = { database, hashPassword: people.hashPassword };
  const { email, personId, invitation } = await signUpInvited(parts, given, clock.now());
  noteJoined(request, personId, invitation);
  const { cookies } = await ask(request, '/sign-in/email', { email, password });
  return { to: '/cuenta?aviso=invitacion', cookies: [...cookies, people.deviceCookie(email)] };
}

function noteJoined(
  { log }: PageRequest,
  person: string,
  { organizationId, id, role }: Invitation,
): void {
  noteEvent(log, 'member_added', { person, organization: organizationId, subject: id, role });
}

async function show(request: PageRequest, token: string, wrong: string | null): Promise<Reply> {
  const { database, clock, people, headers } = request;
  const invitation = await database.read((handle) => findInvitation(handle, token, clock.now()));
  const person = await people.signedIn(headers);
  const known = await database.read((handle) => isRegistered(handle, invitation.email));
  return {
    title: `Invitación a ${invitation.organizationName}`,
    body: html`${alarm(wrong)}
      <p>Te invitaron a «${invitation.organizationName}» con el rol ${ROLE_NAMES[invitation.role]}.</p>
      ${wayIn(request, invitation, { token, person, isKnown: known })}`,
  };
}

function wayIn(
  { operator }: PageRequest,
  { email }: Invitation,
  { token, person, isKnown }: { token: string; person: SignedIn | null; isKnown: boolean },
): Html {
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  if (person?.email === email)
    return html`<form method="post" action="/invitacion">${hidden}<button>Aceptar la invitación</button></form>`;
  if (person)
    return html`<p>La invitación es para <strong>${email}</strong>, y entraste como <strong>${person.email}</strong>.</p>
      <form method="post" action="/cuenta/salir"><button>Cerrar sesión para entrar con el otro correo</button></form>`;
  if (isKnown) {
    const here = `/invitacion?token=${encodeURIComponent(token)}`;
    return html`<p><a href="${withReturn('/entrar', here)}">Entra como ${email}</a> para aceptarla.</p>`;
  }
  return html`<form method="post" action="/invitacion">
      ${hidden}
      <p>Crea tu cuenta para <strong>${email}</strong>:</p>
      ${field({ name: 'nombre', label: 'Tu nombre', autocomplete: 'name', most: 80 })}
      ${newPassword()}
      ${privacyHint(operator)}
      <button>Crear cuenta y aceptar</button>
    </form>`;
}

function refused(message: string, token?: string): Reply {
  return {
    title: 'No se aceptó la invitación',
    body: html`${alarm(message)}
      ${token === undefined ? html`` : html`<p><a href="/invitacion?token=${encodeURIComponent(token)}">Intentar de nuevo</a></p>`}
      <p>${linkTo('account', 'Ir a mi cuenta')}</p>`,
  };
}
