import {
  type Action,
  type Membership,
  may,
  mayAddPasskey,
  membershipsOf,
  noteEvent,
  type Passkey,
  passkeysOf,
  ROLE_NAMES,
  refuseWeak,
  removePasskey,
  restorePasskey,
  type SignedIn,
} from '../../features/people/index.ts';
import { fail } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import type { Operator } from '../../platform/operator.ts';
import { alarm, field, type Html, html, note, noteIn, SCRIPT_PATH } from '../page.ts';
import { qrCode } from '../qr.ts';
import { suspensionOf } from '../words.ts';
import { confirmFirst, toConfirm } from './confirm.ts';
import { newPassword } from './sign-up.ts';
import { ask, orAgain, type Reply, typed, type Visit, whoIsHere } from './visit.ts';

/** Where a change of factors is tried again once the person proved the second factor. */
const TRY_AGAIN = '/cuenta?aviso=confirmado';
const ADD_PASSKEY = '/cuenta/llaves/agregar';
const SUSPENDED = alarm(
  'Se eligió otra contraseña con un enlace por correo, así que tus llaves de acceso quedaron suspendidas. Activa las que reconozcas con tu contraseña nueva y borra las demás.',
);
const NOTES: Readonly<Record<string, string | Html>> = {
  'segundo-paso': 'La verificación en dos pasos quedó activa.',
  'sin-segundo-paso': 'La verificación en dos pasos quedó desactivada.',
  confirmado: 'Listo, confirmamos que eres tú. Ahora repite el cambio que querías hacer.',
  llave: 'La llave de acceso quedó guardada.',
  'llave-activada': 'La llave de acceso quedó activada de nuevo.',
  'sin-llave': 'La llave de acceso quedó borrada.',
  contrasena: html`Tu contraseña cambió, y se cerraron tus otras sesiones. Si alguien más la conocía, revisa también
    tus <a href="/cuenta/agentes">agentes conectados</a> y tus <a href="#llaves">llaves de acceso</a>, que siguen sirviendo.`,
  invitacion: 'Ya perteneces a la organización.',
  fuera: 'Ya no perteneces a esa organización.',
};

export async function accountPage(visit: Visit): Promise<Reply> {
  const person = await visit.people.signedIn(visit.headers);
  if (!person) return { to: '/entrar' };
  return show(visit, person, { said: noteIn(NOTES, visit.query) });
}

/** Shows the key and the backup codes, once; the first code proves that the app has the key. */
export async function beginSecondFactor(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async () => {
    const { body } = await ask(visit, '/two-factor/enable', {
      password: typed(visit, 'contrasena'),
    });
    return secondFactorPage(body.totpURI, body.backupCodes);
  });
}

export async function confirmSecondFactor(visit: Visit): Promise<Reply> {
  const person = await whoIsHere(visit);
  // The form may be older than a factor that was added meanwhile.
  if (visit.people.factorLack(person) === 'not_used') return toConfirm(TRY_AGAIN);
  return orAgain(
    async () => {
      const code = typed(visit, 'codigo').replace(/\D/g, '');
      const { cookies } = await ask(visit, '/two-factor/verify-totp', { code });
      await visit.people.tellSecurityChange(person, 'Se activó la verificación en dos pasos.');
      return { to: '/cuenta?aviso=segundo-paso', cookies };
    },
    ({ message }) => ({
      title: 'Verificación en dos pasos',
      body: html`${alarm(message)}${confirmForm()}<p><a href="/cuenta">Volver a empezar</a></p>`,
    }),
  );
}

export async function endSecondFactor(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async (person) => {
    const { cookies } = await ask(visit, '/two-factor/disable', {
      password: typed(visit, 'contrasena'),
    });
    await visit.people.tellSecurityChange(person, 'Se desactivó la verificación en dos pasos.');
    return { to: '/cuenta?aviso=sin-segundo-paso', cookies };
  });
}

export async function newBackupCodes(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async (person) => {
    const password = typed(visit, 'contrasena');
    const { body } = await ask(visit, '/two-factor/generate-backup-codes', { password });
    await visit.people.tellSecurityChange(person, 'Se hicieron códigos de respaldo nuevos.');
    return {
      title: 'Códigos de respaldo nuevos',
      body: html`${codesOf(body.backupCodes)}<p>Los anteriores ya no sirven.</p><p><a href="/cuenta">Listo, los guardé</a></p>`,
    };
  });
}

/** The password lets the next page add a passkey, for a few minutes. */
export async function askToAddPasskey(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async () => ({ to: ADD_PASSKEY }));
}

export async function addPasskeyPage(visit: Visit): Promise<Reply> {
  const person = await whoIsHere(visit);
  if (!mayAddPasskey(person, visit.clock.now())) return { to: '/cuenta#llaves' };
  return {
    title: 'Agregar una llave de acceso',
    script: SCRIPT_PATH,
    body: html`<div data-passkey="add" data-next="/cuenta?aviso=llave" hidden>
        <label for="passkey-name">Nombre de la llave</label>
        <input id="passkey-name" maxlength="60" autocomplete="off" value="Este dispositivo">
        <button type="button">Guardar la llave de acceso</button>
        <p role="alert" data-passkey-said></p>
      </div>
      <noscript><p>Para agregar una llave de acceso activa JavaScript.</p></noscript>
      <p><a href="/cuenta">Cancelar</a></p>`,
  };
}

export async function endPasskey(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async (person) => {
    const id = typed(visit, 'llave');
    const by = { personId: person.id, address: visit.address };
    const isGone =
      isId(id) && (await visit.database.write((handle) => removePasskey(handle, by, id)));
    if (!isGone) throw fail('not_found', { message: 'Esa llave de acceso ya no existe.' });
    noteEvent(visit.log, 'passkey_removed', { person: person.id, subject: id });
    await visit.people.tellSecurityChange(person, 'Se borró una llave de acceso.');
    return { to: '/cuenta?aviso=sin-llave' };
  });
}

/** A suspended passkey works again once the password was typed. */
export async function restoreOwnPasskey(visit: Visit): Promise<Reply> {
  return changeFactors(visit, async (person) => {
    const id = typed(visit, 'llave');
    const by = { personId: person.id, address: visit.address };
    const isBack =
      isId(id) && (await visit.database.write((handle) => restorePasskey(handle, by, id)));
    if (!isBack) throw fail('not_found', { message: 'Esa llave de acceso ya no está suspendida.' });
    noteEvent(visit.log, 'passkey_restored', { person: person.id, subject: id });
    await visit.people.tellSecurityChange(
      person,
      'Se activó de nuevo una llave de acceso suspendida.',
    );
    return { to: '/cuenta?aviso=llave-activada' };
  });
}

export async function changePassword(visit: Visit): Promise<Reply> {
  return atAccount(visit, async (person) => {
    const [currentPassword, newOne] = [typed(visit, 'contrasena'), typed(visit, 'nueva')];
    await mustBeOwnPassword(visit);
    refuseWeak(newOne, person);
    const { cookies } = await ask(visit, '/change-password', {
      currentPassword,
      newPassword: newOne,
      revokeOtherSessions: true,
    });
    await visit.people.passwordWasChanged(person);
    return { to: '/cuenta?aviso=contrasena', cookies };
  });
}

/** Does it for the signed-in person, or shows the account with what is wrong. */
async function atAccount(visit: Visit, work: (person: SignedIn) => Promise<Reply>): Promise<Reply> {
  const person = await whoIsHere(visit);
  return orAgain(
    () => work(person),
    ({ message }) => show(visit, person, { wrong: message }),
  );
}

/**
 * The second factor first, where there is one, and the password: who knows one of them changes
 * nothing.
 */
function changeFactors(visit: Visit, work: (person: SignedIn) => Promise<Reply>): Promise<Reply> {
  return atAccount(visit, async (person) => {
    const detour = confirmFirst(visit, person, TRY_AGAIN);
    if (detour) return detour;
    await mustBeOwnPassword(visit);
    return work(person);
  });
}

async function mustBeOwnPassword(visit: Visit): Promise<void> {
  if (!(await visit.people.isOwnPassword(visit.headers, typed(visit, 'contrasena'))))
    throw fail('invalid_request', { message: 'La contraseña no es correcta.' });
}

async function show(
  visit: Visit,
  person: SignedIn,
  { said = null, wrong = null }: { said?: string | Html | null; wrong?: string | null },
) {
  const [memberships, passkeys] = await visit.database.read(
    async (handle) =>
      [await membershipsOf(handle, person.id), await passkeysOf(handle, person.id)] as const,
  );
  return {
    title: 'Mi cuenta',
    body: html`${note(said)}${alarm(wrong)}
      <dl><dt>Nombre</dt><dd>${person.name}</dd><dt>Correo</dt><dd>${person.email}</dd></dl>
      ${organizations(memberships, visit.operator)}
      <p><a href="/cuenta/agentes">Agentes conectados</a></p>
      ${secondFactor(person)}
      ${keys(passkeys)}
      ${passwordForm()}
      <h2>Salir</h2>
      <form method="post" action="/cuenta/salir"><button>Salir</button></form>
      <form method="post" action="/cuenta/salir-de-todo"><button class="quiet">Salir en todos los dispositivos</button></form>`,
  } satisfies Reply;
}

function organizations(memberships: readonly Membership[], operator: Operator): Html {
  if (memberships.length === 0)
    return html`<h2>Mis organizaciones</h2><p>No perteneces a ninguna. Pide una invitación a quien administra la tuya.</p>`;
  const mayDo = (action: Action) => memberships.some(({ role }) => may(role, action));
  return html`<h2>Mis organizaciones</h2>
    ${memberships.map(({ organizationName, role, isSuspended }) => alarm(isSuspended ? suspensionOf(organizationName, role, operator) : null))}
    <ul>${memberships.map(({ organizationName, role }) => html`<li>${organizationName}: ${ROLE_NAMES[role]}</li>`)}</ul>
    <p><a href="/cuenta/miembros">Miembros e invitaciones</a></p>
    ${mayDo('manage_keys') ? html`<p><a href="/cuenta/claves">Claves de API</a></p>` : html``}
    ${mayDo('read_activity') ? html`<p><a href="/cuenta/actividad">Actividad</a></p>` : html``}`;
}

function secondFactor({ asksForCode }: SignedIn): Html {
  if (!asksForCode)
    return html`<h2 id="segundo-paso">Verificación en dos pasos</h2>
      <p>Además de tu contraseña, pide un código de una aplicación de tu teléfono.</p>
      ${withPassword('/cuenta/segundo-paso', 'Activar', 'paso')}`;
  return html`<h2 id="segundo-paso">Verificación en dos pasos</h2>
    <p>Está activa.</p>
    ${withPassword('/cuenta/respaldo', 'Códigos de respaldo nuevos', 'respaldo')}
    ${withPassword('/cuenta/segundo-paso/quitar', 'Desactivar', 'quitar')}`;
}

function keys(passkeys: readonly Passkey[]): Html {
  return html`<h2 id="llaves">Llaves de acceso</h2>
    ${passkeys.some(({ isSuspended }) => isSuspended) ? SUSPENDED : html``}
    <ul>${passkeys.map(passkeyEntry)}</ul>
    ${withPassword(ADD_PASSKEY, 'Agregar una llave de acceso', 'agregar-llave')}`;
}

function passkeyEntry({ id, name, isSuspended }: Passkey): Html {
  const which = html`<input type="hidden" name="llave" value="${id}">`;
  return html`<li>${name ?? 'Llave de acceso'}${isSuspended ? ' (suspendida)' : ''}
    ${isSuspended ? withPassword('/cuenta/llaves/activar', 'Activar de nuevo', `activar-${id}`, which) : html``}
    ${withPassword('/cuenta/llaves/quitar', 'Borrar', `llave-${id}`, which)}</li>`;
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

/** What is done only by whoever types the password again. */
function withPassword(action: string, label: string, id: string, more: Html = html``): Html {
  return html`<form method="post" action="${action}">${more}
      <label for="contrasena-${id}">Tu contraseña</label>
      <input id="contrasena-${id}" name="contrasena" type="password" autocomplete="current-password" maxlength="512" required>
      <button class="quiet">${label}</button>
    </form>`;
}

function secondFactorPage(uri: string, backupCodes: readonly string[]): Reply {
  const key = new URL(uri).searchParams.get('secret') ?? '';
  return {
    title: 'Verificación en dos pasos',
    body: html`<p>1. Escanea este código con tu aplicación de códigos, o <a href="${uri}">ábrelo en este teléfono</a>:</p>
      ${qrCode(uri, 'Código QR con la clave que está escrita debajo')}
      <p>¿Sin cámara? Agrega en la aplicación una cuenta con esta clave:</p>
      <p><code id="clave">${key.replace(/(.{4})(?!$)/g, '$1 ')}</code></p>
      <p>2. Guarda estos códigos de respaldo en un lugar seguro. No se vuelven a mostrar:</p>
      ${codesOf(backupCodes)}
      <p>3. Escribe el código que muestra la aplicación:</p>
      ${confirmForm()}`,
  };
}

function confirmForm(): Html {
  return html`<form method="post" action="/cuenta/segundo-paso/confirmar">
      ${field({ name: 'codigo', label: 'Código de tu aplicación', autocomplete: 'one-time-code', inputmode: 'numeric', most: 12 })}
      <button>Activar</button>
    </form>`;
}

function codesOf(codes: readonly string[]): Html {
  return html`<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>`;
}
