/** The list of endpoints, and the pages that make, change and end one. */
import { effectiveTerms } from '../../../features/organizations/index.ts';
import { ENROL_PATH, type FactorLack } from '../../../features/people/index.ts';
import { type Endpoint, isPublicKey } from '../../../features/webhooks-out/index.ts';
import { newId } from '../../../platform/ids.ts';
import { SITE_PAGES } from '../../../platform/site-pages.ts';
import { alarm, type Html, html, note } from '../../page.ts';
import { addressIn, hiddenIn, momentFor, type PageMembership, plansLink } from '../membership.ts';
import { type Reply, withReturn } from '../page-request.ts';
import { headOf, listed, WEBHOOK_PATHS } from './access.ts';
import { type TermsTyped, termsFields } from './terms-form.ts';

const BECAUSE = {
  asked: 'Desactivado por tu organización',
  gone: 'Desactivado: respondió que ya no quiere recibir eventos',
  failing: 'Desactivado: falló durante cinco días seguidos',
} as const;

export function endpointsReply(
  membership: PageMembership,
  { endpoints, said }: { endpoints: readonly Endpoint[]; said: string | null },
): Reply {
  const { webhookEndpoints: most, webhooks } = effectiveTerms(membership.organization);
  const enabled = endpoints.filter(({ state }) => state === 'enabled').length;
  const makes = webhooks === 'full' && !membership.organization.isSuspended;
  return {
    isWide: true,
    title: SITE_PAGES.webhooks.name,
    body: html`${note(said)}${headOf(membership, 'list')}
      <p>Un endpoint es una dirección de tu servidor que recibe cada cambio de tus órdenes, envíos, inventario y saldos en cuanto ocurre.</p>
      ${planNote(membership)}
      ${webhooks === 'full' ? html`<p>${enabled} de ${most} endpoints activos.</p>` : html``}
      ${endpoints.length > 0 ? html`<ul class="cards">${endpoints.map((one) => entryOf(membership, one))}</ul>` : html``}
      ${makes ? html`<p><a class="button" href="${addressIn(membership, WEBHOOK_PATHS.new)}">Crear un endpoint</a></p>` : html``}`,
  };
}

function planNote(membership: PageMembership): Html {
  const { webhooks, name, eventDays } = effectiveTerms(membership.organization);
  if (webhooks === 'full') return html``;
  return webhooks === 'read'
    ? html`<p>Tu plan ${name} incluye el registro de eventos de los últimos ${eventDays} días. Para recibirlos en tu servidor, cambia a Avanzado o superior. ${plansLink(membership)}</p>`
    : html`<p>Tu plan ${name} no incluye webhooks. Intermedio incluye el registro de eventos, y Avanzado o superior, además, las entregas a tu servidor. ${plansLink(membership)}</p>`;
}

function entryOf(membership: PageMembership, endpoint: Endpoint): Html {
  const address = addressIn(membership, WEBHOOK_PATHS.one, { endpoint: endpoint.id });
  return html`<li><p><strong><a href="${address}">${endpoint.url}</a></strong></p>
    <p>${stateOf(membership, endpoint)}</p>
    <p>Eventos: ${listed(endpoint.types, 'todos')}</p></li>`;
}

/** Whether it gets events, and if not, why. */
export function stateOf(
  membership: PageMembership,
  { state, disabledBecause, failingSince }: Endpoint,
): Html {
  if (state === 'disabled_by_plan')
    return html`<span class="mark bad">Desactivado por tu plan</span> Se borra con su secreto a los 30 días.`;
  if (state === 'disabled')
    return html`<span class="mark bad">${BECAUSE[disabledBecause ?? 'asked']}</span>`;
  return failingSince === null
    ? html`<span class="mark good">Activo</span>`
    : html`<span class="mark poor">Activo, pero falla</span> Ninguna entrega ha llegado desde el ${momentFor(membership, failingSince)}`;
}

export function newReply(
  membership: PageMembership,
  given: { typed: TermsTyped; lack: FactorLack | null; wrong?: string },
): Reply {
  const back = addressIn(membership, WEBHOOK_PATHS.new);
  return {
    title: 'Crear un endpoint',
    body: html`${alarm(given.wrong ?? null)}${given.lack === null ? newForm(membership, given.typed) : lackNote(given.lack, back)}
      <p><a href="${addressIn(membership, WEBHOOK_PATHS.list)}">Volver a los endpoints</a></p>`,
  };
}

function newForm(membership: PageMembership, typed: TermsTyped): Html {
  return html`<form method="post" action="${WEBHOOK_PATHS.new}">${hiddenIn(membership, { formulario: newId() })}
      ${termsFields(typed, true)}
      <button>Crear el endpoint</button>
    </form>`;
}

/** What the session lacks, and where to get it. */
function lackNote(lack: FactorLack, back: string): Html {
  return lack === 'not_used'
    ? html`<p>Para crear un endpoint, cambiar su dirección o rotar su secreto <a href="${withReturn('/cuenta/confirmar', back)}">confirma que eres tú</a> con tu código o tu llave de acceso.</p>`
    : html`<p>Para crear un endpoint, cambiar su dirección o rotar su secreto activa antes la <a href="${withReturn(ENROL_PATH, back)}">verificación en dos pasos</a> o agrega una <a href="/cuenta#llaves">llave de acceso</a>.</p>`;
}

/** The secret, or the public key of a pair, is on this page and nowhere else. */
export function secretReply(
  membership: PageMembership,
  { id, secret, isNew }: { id: string; secret: string; isNew: boolean },
): Reply {
  const address = addressIn(membership, WEBHOOK_PATHS.one, { endpoint: id });
  const words = isPublicKey(secret) ? PUBLIC_KEY_WORDS : SECRET_WORDS;
  const signature = `${addressIn(membership, WEBHOOK_PATHS.signature)}#${words.section}`;
  return {
    title: isNew ? words.newTitle : words.rotatedTitle,
    body: html`${note(`${isNew ? 'El endpoint quedó creado.' : words.rotated} ${words.copy}`)}
      <p><code class="secret" id="secreto">${secret}</code></p>
      <p>Con ${words.it} compruebas que un evento viene de Tianguis: <a href="${signature}">cómo verificar la firma</a>.</p>
      ${isNew ? html`` : html`<p>${words.both}</p>`}
      <p><a href="${address}">Listo, lo guardé</a></p>`,
  };
}

const SECRET_WORDS = {
  section: 'hmac',
  newTitle: 'Guarda el secreto de tu endpoint',
  rotatedTitle: 'Guarda el secreto nuevo',
  rotated: 'El secreto quedó rotado.',
  copy: 'Copia el secreto ahora: no se vuelve a mostrar.',
  it: 'él',
  both: 'Durante 24 horas firmamos también con el anterior, para que cambies de secreto sin perder eventos.',
} as const;
const PUBLIC_KEY_WORDS = {
  section: 'ed25519',
  newTitle: 'Guarda la clave pública de tu endpoint',
  rotatedTitle: 'Guarda la clave pública nueva',
  rotated: 'La clave quedó rotada.',
  copy: 'Copia la clave pública ahora: no se vuelve a mostrar.',
  it: 'ella',
  both: 'Durante 24 horas firmamos también con la anterior, para que cambies de clave sin perder eventos.',
} as const;

export function changeReply(
  membership: PageMembership,
  { endpoint, typed, wrong }: { endpoint: Endpoint; typed: TermsTyped; wrong?: string },
): Reply {
  return {
    title: 'Cambiar el endpoint',
    body: html`${alarm(wrong ?? null)}<form method="post" action="${WEBHOOK_PATHS.change}">${hiddenIn(membership, { endpoint: endpoint.id })}
        ${termsFields(typed, false)}
        <button>Guardar los cambios</button>
      </form>
      ${cancel(membership, endpoint)}`,
  };
}

export function rotationReply(membership: PageMembership, endpoint: Endpoint): Reply {
  return {
    title: '¿Rotar el secreto?',
    body: html`<p>${endpoint.url}</p>
      <p>Se crea otro secreto. El anterior sigue firmando durante 24 horas, junto con el nuevo.</p>
      <form method="post" action="${WEBHOOK_PATHS.rotate}">${hiddenIn(membership, { endpoint: endpoint.id, formulario: newId() })}
        <button>Rotar el secreto</button>
      </form>
      ${cancel(membership, endpoint)}`,
  };
}

export function removalReply(membership: PageMembership, endpoint: Endpoint): Reply {
  return {
    title: '¿Eliminar el endpoint?',
    body: html`<p>${endpoint.url}</p>
      <p>Deja de recibir eventos, y lo que faltaba por entregarle se descarta. No se puede deshacer. Si solo quieres detenerlo, desactívalo.</p>
      <form method="post" action="${WEBHOOK_PATHS.remove}">${hiddenIn(membership, { endpoint: endpoint.id })}
        <button>Eliminar el endpoint</button>
      </form>
      ${cancel(membership, endpoint)}`,
  };
}

function cancel(membership: PageMembership, { id }: Endpoint): Html {
  return html`<p><a href="${addressIn(membership, WEBHOOK_PATHS.one, { endpoint: id })}">Cancelar</a></p>`;
}
