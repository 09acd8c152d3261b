/** The header and the navigation of pages; the panel draws the same from the same data. */
import { SITE_PAGES } from '../platform/site-pages.ts';
import type { Instant } from '../platform/time.ts';
import { FIND_FIELD, FIND_PATH } from './find-order.ts';
import { addressOf, type Frame, planInWords, roleIn } from './navigation.ts';
import { type Html, html, linkTo } from './page.ts';

const GROUPS = [
  { group: 'work', label: 'Operación' },
  { group: 'organization', label: 'Organización' },
] as const;

/** @param path of the page, for the link to itself */
export function frameHtml(frame: Frame, path: string, now: Instant): Html {
  const { person, membership, memberships } = frame;
  return html`<a class="frame-skip" href="#contenido">Saltar al contenido</a>
<header class="frame-header">
<a class="frame-brand" href="/">Tianguis</a>
${membership ? switchHtml(membership, memberships) : html``}
${membership ? html`<span class="plan">${planInWords(membership.organization, now)}</span>` : html``}
<span class="frame-space"></span>
${findHtml(frame)}
<details class="frame-menu frame-person"><summary>${person.name}</summary><div>
<p>${person.email}</p>
<p>${linkTo('account')}</p>
<p>${linkTo('docs')}</p>
<form method="post" action="/cuenta/salir"><button>Cerrar sesión</button></form>
</div></details>
</header>
${navigationHtml(frame, path)}`;
}

/** The panel's search, which works without script. */
function findHtml({ links, membership }: Frame): Html {
  if (!membership || !links.some(({ place }) => place === 'orders')) return html``;
  const address = addressOf('home', membership.organization.id) + FIND_PATH;
  return html`<form class="find" action="${address}"><input name="${FIND_FIELD}" type="search" aria-label="Buscar una orden" aria-describedby="find-hint" placeholder="Buscar" autocomplete="off" maxlength="200"><p id="find-hint">Por orden, producto, comprador, rastreo, SKU, total o folio fiscal.</p></form>`;
}

function switchHtml(
  { organization: { id, name } }: NonNullable<Frame['membership']>,
  memberships: Frame['memberships'],
): Html {
  if (memberships.length < 2) return html`<span class="frame-organization">${name}</span>`;
  return html`<details class="frame-menu"><summary>${name}</summary><div><ul>${memberships.map(
    (one) =>
      html`<li><a href="${addressOf('home', one.organizationId)}"${one.organizationId === id ? html` aria-current="true"` : html``}>${one.organizationName}</a> <span class="frame-role">${roleIn(one, memberships)}</span></li>`,
  )}</ul></div></details>`;
}

function navigationHtml({ links }: Frame, path: string): Html {
  if (links.length === 0) return html``;
  return html`<nav class="frame-nav" aria-label="Principal">${GROUPS.map(
    ({ group, label }) =>
      html`<p>${label}</p><ul>${links
        .filter((link) => link.group === group)
        .map(({ place, name, address }) => {
          const isHere = SITE_PAGES[place].path === path;
          return html`<li><a href="${address}"${isHere ? html` aria-current="page"` : html``}>${name}</a></li>`;
        })}</ul>`,
  )}</nav>`;
}
