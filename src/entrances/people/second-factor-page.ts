import { ENROL_PATH } from '../../features/people/index.ts';
import { copyButton } from '../copied.ts';
import {
  alarm,
  COPY_SCRIPT_PATH,
  field,
  type Html,
  html,
  SCRIPT_PATH,
  usernameOf,
} from '../page.ts';
import { qrCode } from '../qr.ts';
import type { Reply } from './page-request.ts';

const TITLE = 'Verificación en dos pasos';

interface Enrolment {
  readonly email: string;
  /** Where to go afterwards. */
  readonly back: string;
  /** The same after a passkey. */
  readonly next: string;
  /** What a passkey is called that is made here. */
  readonly device: string;
  /** The password was typed just now, so a passkey may be added. */
  readonly mayAddPasskey: boolean;
}

/** The first step: the device itself, or the password once more for an app with codes. */
export function choicePage(enrolment: Enrolment, wrong: string | null = null): Reply {
  const { email, back, mayAddPasskey } = enrolment;
  return {
    title: 'Activa la verificación en dos pasos',
    script: SCRIPT_PATH,
    body: html`${alarm(wrong)}
      <p>Protege las claves de tus tiendas: además de tu contraseña, confirmas que eres tú con algo que tienes a la mano.</p>
      ${mayAddPasskey ? withDevice(enrolment) : html``}
      <h2>Con una aplicación de códigos</h2>
      <p>Te pediremos un código de una aplicación de tu teléfono, como Google Authenticator o Microsoft Authenticator.</p>
      <form method="post" action="${ENROL_PATH}">${returning(back)}${usernameOf(email)}
        ${field({ name: 'contrasena', label: 'Tu contraseña', type: 'password', autocomplete: 'current-password', most: 512 })}
        <button${mayAddPasskey ? html` class="quiet"` : html``}>Continuar</button>
      </form>
      ${mayAddPasskey ? html`` : html`<p>¿Prefieres la huella, el rostro o el PIN de tu dispositivo? <a href="/cuenta#llaves">Agrega una llave de acceso</a></p>`}`,
  };
}

/** Shown where the browser has passkeys. */
function withDevice({ next, device }: Enrolment): Html {
  return html`<div data-passkey="add" data-next="${next}" hidden>
      <h2>Con este dispositivo</h2>
      <p>Usa tu huella, tu rostro o el PIN con el que lo desbloqueas. Es lo más rápido.</p>
      <input type="hidden" id="passkey-name" value="${device}">
      <button type="button">Usar este dispositivo</button>
      <p role="alert" data-passkey-said></p>
    </div>`;
}

/** The second step: what the app needs, and its first code. */
export function keyPage(
  { uri, backupCodes }: { readonly uri: string; readonly backupCodes: readonly string[] },
  email: string,
  back: string,
): Reply {
  const key = new URL(uri).searchParams.get('secret') ?? '';
  return {
    title: TITLE,
    script: COPY_SCRIPT_PATH,
    body: html`<p>1. Escanea este código con tu aplicación, o <a href="${uri}">ábrelo en este teléfono</a>:</p>
      ${qrCode(uri, 'Código QR con la clave que está escrita debajo')}
      <p>¿Sin cámara? Agrega en la aplicación una cuenta con esta clave:</p>
      <p><code id="clave">${key.replace(/(.{4})(?!$)/g, '$1 ')}</code></p>
      ${copyButton('clave', 'Copiar la clave')}
      <p>2. Guarda estos códigos de respaldo en un lugar seguro: sirven para entrar si pierdes el teléfono. No se vuelven a mostrar.</p>
      ${codesOf(backupCodes, email)}
      <p>3. Escribe el código que muestra la aplicación:</p>
      ${codeForm(back)}`,
  };
}

export function wrongCodePage(back: string, wrong: string): Reply {
  return {
    title: TITLE,
    body: html`${alarm(wrong)}${codeForm(back)}<p><a href="${ENROL_PATH}">Volver a empezar</a></p>`,
  };
}

/** A script copies them; a browser saves them as a file without one. */
export function codesOf(codes: readonly string[], email: string): Html {
  const file = `Códigos de respaldo de Tianguis (${email})\nCada uno sirve una sola vez.\n\n${codes.join('\n')}\n`;
  return html`<ul class="codes" id="codigos">${codes.map((code) => html`<li>${code}</li>`)}</ul>
    ${copyButton('codigos', 'Copiar los códigos')}
    <p><a href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}" download="tianguis-codigos-de-respaldo.txt">Descargar los códigos</a></p>`;
}

function codeForm(back: string): Html {
  return html`<form method="post" action="${ENROL_PATH}/confirmar">${returning(back)}
      ${field({ name: 'codigo', label: 'Código de tu aplicación', autocomplete: 'one-time-code', inputmode: 'numeric', most: 12 })}
      <button>Activar</button>
    </form>`;
}

/** Carries on where a form leads afterwards. */
function returning(back: string): Html {
  return html`<input type="hidden" name="volver" value="${back}">`;
}
