/** Drawings of the steps that connect a spreadsheet. They take their colours from the page. */
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { type Html, html } from '../page.ts';

export const KEY_PICTURE = picture(
  `La página ${SITE_PAGES.keys.name} con una clave recién creada`,
  html`<text x="16" y="30" class="t">${SITE_PAGES.keys.name}</text>
    <rect x="16" y="44" width="288" height="34" rx="4" class="b"/>
    <text x="28" y="66" class="m">tgs_8fK2…x7Qd</text>
    <rect x="16" y="92" width="120" height="30" rx="4" class="a"/>
    <text x="30" y="112" class="w">Crear la clave</text>`,
);

export const EDITOR_PICTURE = picture(
  'Una hoja de cálculo con el menú Extensiones abierto en Apps Script',
  html`<rect width="320" height="34" class="b"/>
    <text x="14" y="22">Archivo</text><text x="80" y="22">Datos</text>
    <rect x="128" y="6" width="104" height="22" rx="4" class="h"/><text x="136" y="22" class="t">Extensiones</text>
    <path d="M0 60H128M0 84H128M0 108H128M64 34V140M256 34V140" class="l"/>
    <rect x="128" y="34" width="128" height="68" class="b"/>
    <text x="140" y="56">Complementos</text>
    <rect x="132" y="66" width="120" height="26" rx="4" class="a"/><text x="140" y="84" class="w">Apps Script</text>`,
);

export const PASTE_PICTURE = picture(
  'El editor de Apps Script con el código pegado y el botón de guardar',
  html`<rect width="320" height="34" class="b"/>
    <text x="14" y="22" class="t">Código.gs</text>
    <rect x="228" y="5" width="80" height="24" rx="4" class="a"/><text x="243" y="22" class="w">Guardar</text>
    <path d="M16 54H150M16 70H236M30 86H210M30 102H262M16 118H120" class="c"/>`,
);

export const MENU_PICTURE = picture(
  'La hoja con el menú Tianguis abierto en Actualizar órdenes',
  html`<rect width="320" height="34" class="b"/>
    <text x="14" y="22">Extensiones</text>
    <rect x="100" y="6" width="76" height="22" rx="4" class="h"/><text x="108" y="22" class="t">Tianguis</text>
    <path d="M0 60H100M0 84H100M0 108H320M50 34V140M312 34V140" class="l"/>
    <rect x="100" y="34" width="204" height="66" class="b"/>
    <rect x="104" y="40" width="196" height="26" rx="4" class="a"/>
    <text x="112" y="58" class="w">Actualizar órdenes</text><text x="112" y="86">Actualizar automáticamente</text>`,
);

function picture(label: string, drawn: Html): Html {
  return html`<svg class="step" role="img" aria-label="${label}" viewBox="0 0 320 140">${drawn}</svg>`;
}
