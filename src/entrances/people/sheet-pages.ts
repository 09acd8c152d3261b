import { type PlanTerms, plansWithApi } from '../../features/plans/index.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { copied } from '../copied.ts';
import { COPY_SCRIPT_PATH, type Html, html } from '../page.ts';
import { KEYS_PATH } from './keys-pages.ts';
import { addressIn, type PageMembership, plansLink, suspensionNote } from './membership.ts';
import type { Reply } from './page-request.ts';
import { EDITOR_PICTURE, KEY_PICTURE, MENU_PICTURE, PASTE_PICTURE } from './sheet-pictures.ts';

export const SHEET_PATH = SITE_PAGES.sheet.path;

interface Shown {
  /** For Google Sheets. */
  readonly script: string;
  /** For Power Query. */
  readonly query: string;
  readonly makesKeys: boolean;
  readonly plan: Pick<PlanTerms, 'api' | 'name'>;
}

/** How a spreadsheet is connected, with what has to be pasted. The key is on no part of it. */
export function sheetReply(membership: PageMembership, shown: Shown): Reply {
  return {
    title: SITE_PAGES.sheet.name,
    script: COPY_SCRIPT_PATH,
    body: html`${suspensionNote(membership)}${planNote(membership, shown.plan)}
      <p>Todas tus órdenes en Google Sheets o en Excel, y después solo lo que cambia.</p>
      <h2 id="google">Google Sheets</h2>
      <ol class="steps">
        <li><p><strong>Ten a la mano una clave.</strong> ${keyHint(membership, shown)}</p>${KEY_PICTURE}</li>
        <li><p><strong>Abre Apps Script.</strong> En una hoja nueva elige Extensiones → Apps Script.</p>${EDITOR_PICTURE}</li>
        <li><p><strong>Pega el código y guarda.</strong> Borra lo que haya, pega este código y guárdalo con el disquete.</p>${PASTE_PICTURE}
          ${copied('codigo', 'Código para Google Sheets', shown.script)}</li>
        <li><p><strong>Carga tus órdenes.</strong> Vuelve a abrir la hoja: aparece el menú Tianguis. Elige «Actualizar órdenes», da permiso en tu cuenta de Google y pega tu clave cuando la pida.</p>${MENU_PICTURE}</li>
      </ol>
      <p>Google avisa que la aplicación no está verificada, porque el código es tuyo: elige Configuración avanzada → Ir a tu proyecto. La clave queda en tus propiedades de usuario, fuera de las celdas y del código. Con «Actualizar automáticamente» ya no tienes que abrir la hoja.</p>
      <p>Puedes ordenar, filtrar, cambiar el nombre de las pestañas y agregar columnas a la derecha. Las fechas van en la hora del centro de México, y los importes son números con su moneda al lado.</p>
      <h2 id="excel">Excel</h2>
      <ol class="steps">
        <li><p>Guarda tu clave en un archivo de texto, sin nada más: así no queda dentro del libro.</p></li>
        <li><p>Elige Datos → Obtener datos → De otras fuentes → Consulta en blanco, abre el Editor avanzado, pega esta consulta y pon en ella dónde está tu archivo.</p>
          ${copied('consulta', 'Consulta para Excel', shown.query)}</li>
        <li><p>Nombra la consulta «Ordenes». Entra como «Anónimo», y en Opciones de consulta → Privacidad elige ignorar los niveles de privacidad en este libro.</p></li>
        <li><p>Cierra y carga. Con Datos → Actualizar todo llegan los cambios.</p></li>
      </ol>
      ${shown.makesKeys ? html`<p><a href="${addressIn(membership, KEYS_PATH)}">${SITE_PAGES.keys.name}</a></p>` : html``}`,
  };
}

function planNote(membership: PageMembership, { api, name }: Shown['plan']): Html {
  return api
    ? html``
    : html`<p>Tu plan ${name} no incluye la API: la hoja cargará cuando cambies a ${plansWithApi()}. ${plansLink(membership)}</p>`;
}

function keyHint(membership: PageMembership, { makesKeys }: Shown): Html {
  return makesKeys
    ? html`Se crea en <a href="${addressIn(membership, KEYS_PATH)}">${SITE_PAGES.keys.name}</a> con el permiso de órdenes, y se muestra una sola vez.`
    : html`Pídela a quien administra tu organización; necesita el permiso de órdenes.`;
}
