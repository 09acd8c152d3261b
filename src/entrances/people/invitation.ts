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
import { alarm, field, type Html, html } from '../page.ts';
import { newPassword, privacyHint } from './sign-up.ts';
import { ask, orAgain, type Reply, typed, type Visit, withReturn } from './visit.ts';

export async function invitationPage(visit: Visit): Promise<Reply> {
  return show(visit, visit.query.get('token') ?? '', null);
}

export async function takeInvitation(visit: Visit): Promise<Reply> {
  const token = typed(visit, 'token');
  const { database, clock, people, headers, address } = visit;
  const person = await people.signedIn(headers);
  try {
    if (person) {
      const accepted = await database.write((handle) =>
        acceptInvitation(handle, token, { ...person, address }, clock.now()),
      );
      noteJoined(visit, person.id, accepted);
      return { to: '/cuenta?aviso=invitacion' };
    }
    return await registerInvited(visit, token);
  } catch (error) {
    return orAgain(
      async () => Promise.reject(error),
      ({ message, code }) =>
        code === 'invitation_not_valid' ? refused(message) : refused(message, token),
    );
  }
}

async function registerInvited(visit: Visit, token: string): Promise<Reply> {
  const { database, clock, people, address } = visit;
  await people.attempts.count('sign-up', address);
  const password = typed(visit, 'contrasena');
  const given = { token, name: typed(visit, 'nombre'), password, address };
  const { email, personId, invitation } = await signUpInvited(database, given, clock.now());
  noteJoined(visit, personId, invitation);
  const { cookies } = await ask(visit, '/sign-in/email', { email, password });
  return { to: '/cuenta?aviso=invitacion', cookies: [...cookies, people.deviceCookie(email)] };
}

function noteJoined(
  { log }: Visit,
  person: string,
  { organizationId, id, role }: Invitation,
): void {
  noteEvent(log, 'member_added', { person, organization: organizationId, subject: id, role });
}

async function show(visit: Visit, token: string, wrong: string | null): Promise<Reply> {
  const { database, clock, people, headers } = visit;
  const invitation = await database.read((handle) => findInvitation(handle, token, clock.now()));
  const person = await people.signedIn(headers);
  const known = await database.read((handle) => isRegistered(handle, invitation.email));
  return {
    title: `Invitación a ${invitation.organizationName}`,
    body: html`${alarm(wrong)}
      <p>Te invitaron a «${invitation.organizationName}» con este papel: ${ROLE_NAMES[invitation.role]}.</p>
      ${wayIn(visit, invitation, { token, person, isKnown: known })}`,
  };
}

function wayIn(
  { operator }: Visit,
  { email }: Invitation,
  { token, person, isKnown }: { token: string; person: SignedIn | null; isKnown: boolean },
): Html {
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  if (person?.email === email)
    return html`<form method="post" action="/invitacion">${hidden}<button>Aceptar la invitación</button></form>`;
  if (person)
    return html`<p>La invitación es para <strong>${email}</strong>, y entraste como <strong>${person.email}</strong>.</p>
      <form method="post" action="/cuenta/salir"><button>Salir para entrar con el otro correo</button></form>`;
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
      <p><a href="/cuenta">Ir a mi cuenta</a></p>`,
  };
}
