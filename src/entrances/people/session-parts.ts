/** What the account page says about the person's sessions, and the page that ends one. */
import type { OwnSession, SignedIn } from '../../features/people/index.ts';
import { momentInMexico } from '../../platform/time.ts';
import { field, type Html, html, usernameOf } from '../page.ts';
import { deviceName } from './device-name.ts';
import type { Reply } from './page-request.ts';

export const END_SESSION = '/cuenta/sesiones/cerrar';

/** More are closed all at once. */
const MOST_LISTED = 20;

export function sessionsPart({ sessionId }: SignedIn, sessions: readonly OwnSession[]): Html {
  const more = sessions.length - MOST_LISTED;
  return html`<h2 id="sesiones">Sesiones</h2>
    <ul>${sessions.slice(0, MOST_LISTED).map((session) => sessionEntry(session, session.id === sessionId))}</ul>
    ${more > 0 ? html`<p>Y ${more} más.</p>` : html``}
    <form method="post" action="/cuenta/salir"><button>Cerrar sesión</button></form>
    <form method="post" action="/cuenta/salir-de-todo"><button class="quiet">Cerrar sesión en todos los dispositivos</button></form>`;
}

export function endSessionReply({ email }: SignedIn, session: OwnSession): Reply {
  return {
    title: `¿Cerrar la sesión de ${nameOf(session)}?`,
    body: html`<p>${usedWhen(session)}</p>
      <p>Si no la reconoces, cambia después tu contraseña.</p>
      <form method="post" action="${END_SESSION}">${usernameOf(email)}
        <input type="hidden" name="sesion" value="${session.id}">
        ${field({ name: 'contrasena', label: 'Tu contraseña', type: 'password', autocomplete: 'current-password', most: 512 })}
        <button>Cerrar la sesión</button>
      </form>
      <p><a href="/cuenta#sesiones">Cancelar</a></p>`,
  };
}

function sessionEntry(session: OwnSession, isThis: boolean): Html {
  const name = nameOf(session);
  return html`<li>${name}${isThis ? ' (este dispositivo)' : ''}
    <p>${usedWhen(session)}</p>
    ${isThis ? html`` : html`<p><a href="${END_SESSION}?sesion=${session.id}">Cerrar<span class="unseen"> la sesión de ${name}</span></a></p>`}</li>`;
}

function usedWhen({ signedInAt, lastSeenAt }: OwnSession): string {
  return `Iniciada el ${momentInMexico(signedInAt)} · Último uso: ${momentInMexico(lastSeenAt)}`;
}

function nameOf({ userAgent }: OwnSession): string {
  return deviceName(userAgent ?? '', 'Dispositivo desconocido');
}
