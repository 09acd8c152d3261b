import { type Html, html } from '../page.ts';

export const DOCS_PREFIX = '/docs';
export const DOCS_PATHS = {
  guide: `${DOCS_PREFIX}/guia`,
  plain: `${DOCS_PREFIX}/referencia`,
  interactive: DOCS_PREFIX,
} as const;

const NAMES: Readonly<Record<keyof typeof DOCS_PATHS, string>> = {
  guide: 'Guía rápida',
  plain: 'Referencia',
  interactive: 'Probar en la página',
};

/** The way between the pages of the documentation. */
export function docsLinks(here: keyof typeof DOCS_PATHS): Html {
  const links = Object.entries(DOCS_PATHS).map(([name, path]) => {
    const isHere = name === here;
    return html`<a href="${path}"${isHere ? html` aria-current="page"` : html``}>${NAMES[name as keyof typeof NAMES]}</a>`;
  });
  return html`<nav aria-label="Documentación"><p>${links.map((link) => html`${link} · `)}<a href="/">Ir a Tianguis</a></p></nav>`;
}
