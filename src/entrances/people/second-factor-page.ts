import { field, type Html, html } from '../page.ts';
import { qrCode } from '../qr.ts';
import type { Reply } from './page-request.ts';

/** @param back where to go afterwards */
export function secondFactorPage(uri: string, backupCodes: readonly string[], back: string): Reply {
  const key = new URL(uri).searchParams.get('secret') ?? '';
  return {
    title: 'Verificación en dos pasos',
    body: html`<p>1. Escanea este código con tu aplicación de autenticación (Google Authenticator u otra), o <a href="${uri}">ábrelo en este teléfono</a>:</p>
      ${qrCode(uri, 'Código QR con la clave que está escrita debajo')}
      <p>¿Sin cámara? Agrega en la aplicación una cuenta con esta clave:</p>
      <p><code id="clave">${key.replace(/(.{4})(?!$)/g, '$1 ')}</code></p>
      <p>2. Guarda estos códigos de respaldo en un lugar seguro. No se vuelven a mostrar:</p>
      ${codesOf(backupCodes)}
      <p>3. Escribe el código que muestra la aplicación:</p>
      ${confirmForm(back)}`,
  };
}

export function confirmForm(back: string): Html {
  return html`<form method="post" action="/cuenta/segundo-paso/confirmar">${returning(back)}
      ${field({ name: 'codigo', label: 'Código de tu aplicación', autocomplete: 'one-time-code', inputmode: 'numeric', most: 12 })}
      <button>Activar</button>
    </form>`;
}

/** Carries on where a form leads afterwards. */
export function returning(back: string): Html {
  return html`<input type="hidden" name="volver" value="${back}">`;
}

export function codesOf(codes: readonly string[]): Html {
  return html`<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>`;
}
