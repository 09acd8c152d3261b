/** One endpoint: its terms, what can be done with it, and its last attempts. */
import { effectiveTerms } from '../../../features/organizations/index.ts';
import type { Attempt, Endpoint } from '../../../features/webhooks-out/index.ts';
import { alarm, choice, type Html, html, note } from '../../page.ts';
import { addressIn, hiddenIn, momentFor, type PageMembership } from '../membership.ts';
import type { Reply } from '../page-request.ts';
import { headOf, listed, serviceName, WEBHOOK_PATHS } from './access.ts';
import { stateOf } from './endpoints-pages.ts';

/** How far back failed events are sent again, in hours. */
export const RESEND_HOURS: Readonly<Record<string, string>> = {
  1: 'La última hora',
  24: 'Las últimas 24 horas',
  168: 'Los últimos 7 días',
  720: 'Los últimos 30 días',
};

const OUTCOMES: Readonly<Record<string, string>> = {
  delivered: 'Entregado',
  refused: 'Rechazado',
  aborted: 'Descartado por tu servidor',
  timeout: 'Sin respuesta completa en 15 segundos',
  broken: 'No se pudo conectar',
  certificate_untrusted: 'El certificado no es de una autoridad reconocida',
  certificate_expired: 'El certificado venció o aún no es válido',
  certificate_name: 'El certificado es de otro dominio',
  tls_failed: 'No se pudo cifrar la conexión con TLS 1.2 o posterior',
  unasked_status: 'Envió 100 o 101 sin que se lo pidiéramos',
  cut_off: 'La conexión se cortó antes del final de la respuesta',
  not_http: 'La respuesta no es HTTP válido',
  headers_too_large: 'Encabezados demasiado grandes',
  refused_address: 'Dirección no permitida',
  too_large: 'Respuesta demasiado grande',
};

interface Shown {
  readonly endpoint: Endpoint;
  /** Newest first. */
  readonly attempts: readonly Attempt[];
  readonly nextCursor: string | null;
  /** Whether the plan still has endpoints, and the organisation is not suspended. */
  readonly isServed: boolean;
  readonly said?: string | null;
  readonly wrong?: string;
}

export function endpointReply(membership: PageMembership, shown: Shown): Reply {
  const { endpoint, attempts, nextCursor } = shown;
  return {
    isWide: true,
    title: `Endpoint de ${new URL(endpoint.url).host}`,
    body: html`${note(shown.said ?? null)}${alarm(shown.wrong ?? null)}${headOf(membership, 'one')}
      <p>${stateOf(membership, endpoint)}</p>
      ${factsOf(membership, endpoint)}
      ${actionsOf(membership, shown)}
      <h2 id="intentos">Últimos intentos</h2>
      ${attempts.length > 0 ? html`<ul class="cards">${attempts.map((one) => attemptOf(membership, shown, one))}</ul>` : html`<p>Todavía no hay intentos de los últimos 30 días.</p>`}
      ${nextCursor === null ? html`` : html`<p><a href="${addressIn(membership, WEBHOOK_PATHS.one, { endpoint: endpoint.id, cursor: nextCursor })}#intentos">Ver los anteriores</a></p>`}
      ${resendForm(membership, shown)}
      <p><a href="${addressIn(membership, WEBHOOK_PATHS.list)}">Volver a los endpoints</a></p>`,
  };
}

function factsOf(membership: PageMembership, endpoint: Endpoint): Html {
  const { url, types, marketplaces, accountIds, ratePerMinute, signature } = endpoint;
  return html`<dl class="facts">
      <dt>Dirección</dt><dd>${url}</dd>
      <dt>Eventos</dt><dd>${listed(types, 'Todos')}</dd>
      <dt>Marketplaces</dt><dd>${listed(marketplaces.map(serviceName), 'Todos')}</dd>
      <dt>Cuentas</dt><dd>${listed(accountIds, 'Todas')}</dd>
      <dt>Ritmo</dt><dd>${ratePerMinute === null ? 'Sin límite' : `Hasta ${ratePerMinute} entregas por minuto`}</dd>
      <dt>Firma</dt><dd>${signature === 'hmac' ? 'HMAC-SHA256' : 'ed25519'}</dd>
      <dt>Creado</dt><dd>${momentFor(membership, endpoint.createdAt)}</dd>
    </dl>`;
}

function actionsOf(membership: PageMembership, { endpoint, isServed }: Shown): Html {
  const { id, state } = endpoint;
  const hidden = (more: Record<string, string> = {}) =>
    hiddenIn(membership, { endpoint: id, ...more });
  const to = (path: string) => addressIn(membership, path, { endpoint: id });
  const test = html`<form class="beside" method="post" action="${WEBHOOK_PATHS.test}">${hidden()}<button>Enviar un evento de prueba</button></form>`;
  const enable = html`<form class="beside" method="post" action="${WEBHOOK_PATHS.state}">${hidden({ estado: 'activo' })}<button>Activar</button></form>
    <p>Lo que ocurre mientras está desactivado no se le entrega después: queda 30 días en el registro de eventos.</p>`;
  const disable = html`<form class="beside" method="post" action="${WEBHOOK_PATHS.state}">${hidden({ estado: 'inactivo' })}<button class="quiet">Desactivar</button></form>`;
  const serving = state === 'enabled' ? test : enable;
  return html`<div>${isServed ? serving : html``}${state === 'enabled' ? disable : html``}</div>
    <p>${isServed ? html`<a href="${to(WEBHOOK_PATHS.change)}">Cambiar</a> · <a href="${to(WEBHOOK_PATHS.rotate)}">Rotar el secreto</a> · ` : html``}<a href="${to(WEBHOOK_PATHS.remove)}">Eliminar</a></p>`;
}

function attemptOf(
  membership: PageMembership,
  { endpoint, isServed }: Shown,
  attempt: Attempt,
): Html {
  const { eventId, eventType, number, outcome, status, milliseconds, answer, at } = attempt;
  const grade = outcome === 'delivered' ? 'good' : 'bad';
  const event = addressIn(membership, WEBHOOK_PATHS.event, {
    endpoint: endpoint.id,
    evento: eventId,
  });
  const type = html`<code>${eventType}</code>`;
  const { eventDays } = effectiveTerms(membership.organization);
  return html`<li class="row"><p><span class="mark ${grade}">${OUTCOMES[outcome] ?? outcome}</span>${status === null ? '' : ` HTTP ${status}`} · ${milliseconds} ms</p>
    <p>${eventDays > 0 ? html`<a href="${event}">${type}</a>` : type}<span class="unseen"> ${eventId}</span><br>Intento ${number} · ${momentFor(membership, at)}</p>
    ${isServed ? html`<form method="post" action="${WEBHOOK_PATHS.resend}">${hiddenIn(membership, { endpoint: endpoint.id, evento: eventId })}<button class="quiet small">Enviar de nuevo<span class="unseen"> el evento ${eventId}</span></button></form>` : html``}
    ${answer === '' ? html`` : html`<details><summary>Respuesta de tu servidor</summary><pre><code>${answer}</code></pre></details>`}</li>`;
}

function resendForm(membership: PageMembership, { endpoint, isServed }: Shown): Html {
  if (!isServed) return html``;
  return html`<h2>Enviar de nuevo lo que falló</h2>
    <form class="filter" method="post" action="${WEBHOOK_PATHS.resend}">${hiddenIn(membership, { endpoint: endpoint.id })}
      ${choice({ name: 'horas', label: 'Todos los eventos fallidos de', options: Object.entries(RESEND_HOURS), chosen: '24' })}
      <button class="quiet">Enviar de nuevo</button>
    </form>`;
}
