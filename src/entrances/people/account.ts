import {
  type Action,
  endSessionOf,
  type Membership,
  may,
  mayAddPasskey,
  membershipsOf,
  noteEvent,
  passkeysOf,
  ROLE_NAMES,
  refuseWeak,
  removePasskey,
  restorePasskey,
  type SignedIn,
  sessionsOf,
} from '../../features/people/index.ts';
import { fail } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import type { Operator } from '../../platform/operator.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import {
  alarm,
  COPY_SCRIPT_PATH,
  type Html,
  html,
  linkTo,
  note,
  noteIn,
  SCRIPT_PATH,
} from '../page.ts';
import { suspensionOf } from '../words.ts';
import { confirmFirst } from './confirm.ts';
import { deviceName } from './device-name.ts';
import { ADD_PASSKEY, passkeysPart, secondFactorPart } from './factor-parts.ts';
import {
  ask,
  orShowAgain,
  type PageRequest,
  type Reply,
  signedInPerson,
  typed,
} from './page-request.ts';
import { codesOf } from './second-factor-page.ts';
import { endSessionReply, sessionsPart } from './session-parts.ts';
import { newPassword } from './sign-up.ts';

/** Where a change of factors is tried again once the person proved the second factor. */
const TRY_AGAIN = '/cuenta?aviso=confirmado';
const NOTES: Readonly<Record<string, string | Html>> = {
  'segundo-paso': 'La verificación en dos pasos quedó activa.',
  'sin-segundo-paso': 'La verificación en dos pasos quedó desactivada.',
  confirmado: 'Listo, confirmamos que eres tú. Ahora repite el cambio que querías hacer.',
  llave: 'La llave de acceso quedó guardada.',
  'llave-activada': 'La llave de acceso quedó activada de nuevo.',
  'sin-llave': 'La llave de acceso quedó borrada.',
  contrasena: html`Tu contraseña cambió, y se cerraron tus otras sesiones. Si alguien más la conocía, revisa también
    tus ${linkTo('agents', 'agentes conectados')} y tus <a href="#llaves">llaves de acceso</a>, que siguen sirviendo.`,
  'sesion-cerrada': 'La sesión quedó cerrada.',
  fuera: 'Ya no perteneces a esa organización.',
};

const SESSION_OVER = 'Esa sesión ya no está abierta.';

export async function accountPage(request: PageRequest): Promise<Reply> {
  const person = await request.people.signedIn(request.headers);
  if (!person) return { to: SITE_PAGES.signIn.path };
  return show(request, person, { said: noteIn(NOTES, request.query) });
}

export async function endSecondFactor(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async (person) => {
    const { cookies } = await ask(request, '/two-factor/disable', {
      password: typed(request, 'contrasena'),
    });
    await request.people.mailSecurityChange(person, 'Se desactivó la verificación en dos pasos.');
    return { to: '/cuenta?aviso=sin-segundo-paso', cookies };
  });
}

export async function newBackupCodes(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async (person) => {
    const password = typed(request, 'contrasena');
    const { body } = await ask(request, '/two-factor/generate-backup-codes', { password });
    await request.people.mailSecurityChange(person, 'Se hicieron códigos de respaldo nuevos.');
    return {
      title: 'Códigos de respaldo nuevos',
      script: COPY_SCRIPT_PATH,
      body: html`${codesOf(body.backupCodes, person.email)}<p>Los anteriores ya no sirven.</p><p><a href="/cuenta">Listo, los guardé</a></p>`,
    };
  });
}

/** The password lets the next page add a passkey, for a few minutes. */
export async function askToAddPasskey(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async () => ({ to: ADD_PASSKEY }));
}

export async function addPasskeyPage(request: PageRequest): Promise<Reply> {
  const person = await signedInPerson(request);
  if (!mayAddPasskey(person, request.clock.now())) return { to: '/cuenta#llaves' };
  return {
    title: 'Agregar una llave de acceso',
    script: SCRIPT_PATH,
    body: html`<div data-passkey="add" data-next="/cuenta?aviso=llave" hidden>
        <label for="passkey-name">Nombre de la llave</label>
        <input id="passkey-name" maxlength="60" autocomplete="off" value="${deviceName(request.headers['user-agent'])}">
        <button type="button">Guardar la llave de acceso</button>
        <p role="alert" data-passkey-said></p>
      </div>
      <noscript><p>Para agregar una llave de acceso activa JavaScript.</p></noscript>
      <p><a href="/cuenta">Cancelar</a></p>`,
  };
}

export async function endPasskey(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async (person) => {
    const id = typed(request, 'llave');
    const by = { personId: person.id, address: request.address };
    const isGone =
      isId(id) && (await request.database.write((handle) => removePasskey(handle, by, id)));
    if (!isGone) throw fail('not_found', { message: 'Esa llave de acceso ya no existe.' });
    noteEvent(request.log, 'passkey_removed', { person: person.id, subject: id });
    await request.people.mailSecurityChange(person, 'Se borró una llave de acceso.');
    return { to: '/cuenta?aviso=sin-llave' };
  });
}

/** A suspended passkey works again once the password was typed. */
export async function restoreOwnPasskey(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async (person) => {
    const id = typed(request, 'llave');
    const by = { personId: person.id, address: request.address };
    const isBack =
      isId(id) && (await request.database.write((handle) => restorePasskey(handle, by, id)));
    if (!isBack) throw fail('not_found', { message: 'Esa llave de acceso ya no está suspendida.' });
    noteEvent(request.log, 'passkey_restored', { person: person.id, subject: id });
    await request.people.mailSecurityChange(
      person,
      'Se activó de nuevo una llave de acceso suspendida.',
    );
    return { to: '/cuenta?aviso=llave-activada' };
  });
}

/** Asks for the password, and says which session it is. */
export async function endSessionPage(request: PageRequest): Promise<Reply> {
  return atAccount(request, async (person) => {
    const sessions = await request.database.read((handle) =>
      sessionsOf(handle, person.id, request.clock.now()),
    );
    const session = sessions.find(({ id }) => id === request.query.get('sesion'));
    if (!session) throw fail('not_found', { message: SESSION_OVER });
    return endSessionReply(person, session);
  });
}

export async function endOneSession(request: PageRequest): Promise<Reply> {
  return changeFactors(request, async (person) => {
    const id = typed(request, 'sesion');
    const isOver =
      isId(id) && (await request.database.write((handle) => endSessionOf(handle, person.id, id)));
    if (!isOver) throw fail('not_found', { message: SESSION_OVER });
    noteEvent(request.log, 'session_ended', { person: person.id, subject: id });
    return { to: '/cuenta?aviso=sesion-cerrada' };
  });
}

export async function changePassword(request: PageRequest): Promise<Reply> {
  return atAccount(request, async (person) => {
    const [currentPassword, newOne] = [typed(request, 'contrasena'), typed(request, 'nueva')];
    await mustBeOwnPassword(request);
    refuseWeak(newOne, person);
    const { cookies } = await ask(request, '/change-password', {
      currentPassword,
      newPassword: newOne,
      revokeOtherSessions: true,
    });
    await request.people.passwordWasChanged(person);
    return { to: '/cuenta?aviso=contrasena', cookies };
  });
}

/** Does it for the signed-in person, or shows the account with what is wrong. */
async function atAccount(
  request: PageRequest,
  work: (person: SignedIn) => Promise<Reply>,
): Promise<Reply> {
  const person = await signedInPerson(request);
  return orShowAgain(
    () => work(person),
    ({ message }) => show(request, person, { wrong: message }),
  );
}

/**
 * Requires the second factor, where there is one, and the password: one of them alone is not
 * enough.
 */
function changeFactors(
  request: PageRequest,
  work: (person: SignedIn) => Promise<Reply>,
): Promise<Reply> {
  return atAccount(request, async (person) => {
    const detour = confirmFirst(request, person, TRY_AGAIN);
    if (detour) return detour;
    await mustBeOwnPassword(request);
    return work(person);
  });
}

/** @throws Failure invalid_request: what was typed is not the person's password */
export async function mustBeOwnPassword(request: PageRequest): Promise<void> {
  if (!(await request.people.isOwnPassword(request.headers, typed(request, 'contrasena'))))
    throw fail('invalid_request', { message: 'La contraseña no es correcta.' });
}

async function show(
  request: PageRequest,
  person: SignedIn,
  { said = null, wrong = null }: { said?: string | Html | null; wrong?: string | null },
) {
  const [memberships, passkeys, sessions] = await request.database.read(
    async (handle) =>
      [
        await membershipsOf(handle, person.id),
        await passkeysOf(handle, person.id),
        await sessionsOf(handle, person.id, request.clock.now()),
      ] as const,
  );
  return {
    title: SITE_PAGES.account.name,
    body: html`${note(said)}${alarm(wrong)}
      <dl><dt>Nombre</dt><dd>${person.name}</dd><dt>Correo</dt><dd>${person.email}</dd></dl>
      ${organizations(memberships, request.operator)}
      <p>${linkTo('agents')}</p>
      ${secondFactorPart(person)}
      ${passkeysPart(passkeys)}
      ${passwordForm()}
      ${sessionsPart(person, sessions)}`,
  } satisfies Reply;
}

function organizations(memberships: readonly Membership[], operator: Operator): Html {
  if (memberships.length === 0)
    return html`<h2>Mis organizaciones</h2><p>No perteneces a ninguna. Pide una invitación a quien administra la tuya.</p>`;
  const mayDo = (action: Action) => memberships.some(({ role }) => may(role, action));
  return html`<h2>Mis organizaciones</h2>
    ${memberships.map(({ organizationName, role, isSuspended }) => alarm(isSuspended ? suspensionOf(organizationName, role, operator) : null))}
    <ul>${memberships.map(({ organizationName, role }) => html`<li>${organizationName}: ${ROLE_NAMES[role]}</li>`)}</ul>
    <p>${linkTo('members')}</p>
    <p>${linkTo('exports')}</p>
    ${mayDo('manage_keys') ? html`<p>${linkTo('keys')}</p><p>${linkTo('webhooks')}</p>` : html``}
    ${mayDo('read_activity') ? html`<p>${linkTo('activity')}</p>` : html``}`;
}

function passwordForm(): Html {
  return html`<h2>Contraseña</h2>
    <form method="post" action="/cuenta/contrasena">
      <label for="contrasena-actual">Contraseña actual</label>
      <input id="contrasena-actual" name="contrasena" type="password" autocomplete="current-password" maxlength="512" required>
      ${newPassword('nueva', 'Contraseña nueva')}
      <button>Cambiar contraseña</button>
    </form>`;
}
