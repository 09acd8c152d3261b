/** What the account page says and offers about the second factor and the passkeys. */
import { ENROL_PATH, type Passkey, type SignedIn } from '../../features/people/index.ts';
import { dayInMexico } from '../../platform/time.ts';
import { alarm, type Html, html } from '../page.ts';

export const ADD_PASSKEY = '/cuenta/llaves/agregar';

const SUSPENDED = alarm(
  'Se eligió otra contraseña con un enlace por correo, así que tus llaves de acceso quedaron suspendidas. Para activar las que reconozcas usa tu contraseña nueva y una de ellas, o el código de tu aplicación. Después borra las demás.',
);

export function secondFactorPart({ asksForCode, hasSecondFactor }: SignedIn): Html {
  const title = html`<h2 id="segundo-paso">Verificación en dos pasos</h2>`;
  if (asksForCode)
    return html`${title}
    <p>Está activa.</p>
    ${withPassword('/cuenta/respaldo', 'Códigos de respaldo nuevos', 'respaldo')}
    ${withPassword('/cuenta/segundo-paso/quitar', 'Desactivar', 'quitar')}`;
  if (hasSecondFactor)
    return html`${title}
    <p>Tu <a href="#llaves">llave de acceso</a> cuenta como verificación en dos pasos: con ella entras sin contraseña y confirmas lo que da acceso a otros, como crear claves de API o invitar personas. Si entras con tu contraseña, no se te pide un código.</p>
    <p>Para que también se pida al entrar con tu contraseña, agrega una aplicación de códigos.</p>
    <p><a class="button" href="${ENROL_PATH}">Agregar una aplicación de códigos</a></p>`;
  return html`${title}
    <p>Además de tu contraseña, pide un código de una aplicación de tu teléfono.</p>
    <p><a class="button" href="${ENROL_PATH}">Activar la verificación en dos pasos</a></p>`;
}

export function passkeysPart(passkeys: readonly Passkey[]): Html {
  return html`<h2 id="llaves">Llaves de acceso</h2>
    ${passkeys.some(({ isSuspended }) => isSuspended) ? SUSPENDED : html``}
    <ul>${passkeys.map(passkeyEntry)}</ul>
    ${withPassword(ADD_PASSKEY, 'Agregar una llave de acceso', 'agregar-llave')}`;
}

function passkeyEntry({ id, name, createdAt, isSuspended }: Passkey): Html {
  const which = html`<input type="hidden" name="llave" value="${id}">`;
  return html`<li>${name ?? 'Llave de acceso'}${isSuspended ? ' (suspendida)' : ''}
    ${createdAt === null ? html`` : html`<p>Agregada el ${dayInMexico(createdAt)}</p>`}
    ${isSuspended ? withPassword('/cuenta/llaves/activar', 'Activar de nuevo', `activar-${id}`, which) : html``}
    ${withPassword('/cuenta/llaves/quitar', 'Borrar', `llave-${id}`, which)}</li>`;
}

/** A form that asks for the password again. */
function withPassword(action: string, label: string, id: string, more: Html = html``): Html {
  return html`<form method="post" action="${action}">${more}
      <label for="contrasena-${id}">Tu contraseña</label>
      <input id="contrasena-${id}" name="contrasena" type="password" autocomplete="current-password" maxlength="512" required>
      <button class="quiet">${label}</button>
    </form>`;
}
