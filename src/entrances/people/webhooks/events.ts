/** The event log for people, newest first. */
import { z } from 'zod';
import { effectiveTerms } from '../../../features/organizations/index.ts';
import {
  type EventType,
  eventAt,
  LOGGED_TYPES,
  type LoggedEvent,
  recentEvents,
} from '../../../features/webhooks-out/index.ts';
import { fail } from '../../../platform/failure.ts';
import { isStorableText, parseLossless } from '../../../platform/json.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../../platform/time.ts';
import { choice, field, type Html, html } from '../../page.ts';
import {
  addressIn,
  hiddenIn,
  momentFor,
  type PageMembership,
  refuseSuspended,
} from '../membership.ts';
import type { PageRequest, Reply } from '../page-request.ts';
import { atWebhooks, headOf, serviceName, WEBHOOK_PATHS } from './access.ts';
import { asked } from './one-endpoint.ts';

const MOST = 25;
const MOST_ID = 200;

export async function eventsPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'events', async (membership) => {
    const days = requireLog(membership);
    const filters = { type: typeIn(request), objectId: objectIn(request) };
    const page = { ...filters, before: placeIn(request), limit: MOST + 1 };
    const found = await request.database
      .within(membership.organization.id)
      .read((scope) => recentEvents(scope, page, days));
    const events = found.slice(0, MOST);
    const last = found.length > MOST ? events.at(-1) : undefined;
    return {
      isWide: true,
      title: 'Registro de eventos',
      body: html`${headOf(membership, 'events')}
        <p>Lo que cambió en los últimos ${days} días, del más reciente al más antiguo, tal como lo reciben los endpoints.</p>
        ${filterForm(membership, filters)}
        ${events.length > 0 ? html`<ul class="cards">${events.map((one) => entryOf(membership, one))}</ul>` : html`<p>${emptyWords(filters)}</p>`}
        ${last ? olderLink(membership, filters, last) : html``}
        <p>Para leerlo desde una aplicación usa <code>GET /manage/v1/events</code> con una clave que tenga el permiso de eventos.</p>`,
    };
  });
}

/** The event of an attempt. */
export async function eventPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'event', async (membership) => {
    const days = requireLog(membership);
    const { id } = await asked(request, membership);
    const event = await request.database
      .within(membership.organization.id)
      .read((scope) => eventAt(scope, id, request.query.get('evento') ?? '', days));
    return {
      isWide: true,
      title: 'Evento',
      body: html`<p><code>${event.type}</code> · ${momentFor(membership, event.at)}</p>
        ${payloadOf(event)}
        <p><a href="${addressIn(membership, WEBHOOK_PATHS.one, { endpoint: id })}">Volver al endpoint</a></p>`,
    };
  });
}

/**
 * @returns how far back the plan shows the log, in days
 * @throws Failure organization_suspended, plan_does_not_include_webhooks
 */
function requireLog(membership: PageMembership): number {
  refuseSuspended(membership);
  const { eventDays } = effectiveTerms(membership.organization);
  if (eventDays === 0) throw fail('plan_does_not_include_webhooks');
  return eventDays;
}

interface Filters {
  /** Null = all. */
  readonly type: EventType | null;
  /** Null = of any object. */
  readonly objectId: string | null;
}

function filterForm(membership: PageMembership, { type, objectId }: Filters): Html {
  const types = LOGGED_TYPES.map((one) => [one, one] as const);
  return html`<form class="filters" method="get" action="${WEBHOOK_PATHS.events}">${hiddenIn(membership)}
      <div>${choice({ name: 'tipo', label: 'Tipo de evento', options: [['', 'Todos'], ...types], chosen: type ?? '' })}</div>
      <div>${field({ name: 'objeto', type: 'search', label: 'Identificador', autocomplete: 'off', value: objectId ?? '', most: MOST_ID, isOptional: true, placeholder: 'Orden, envío, CFDI o publicación' })}</div>
      <button class="quiet">Filtrar</button>
      ${type === null && objectId === null ? html`` : html`<a href="${addressIn(membership, WEBHOOK_PATHS.events)}">Quitar filtros</a>`}
    </form>`;
}

function entryOf(membership: PageMembership, event: LoggedEvent): Html {
  return html`<li class="row"><p>${momentFor(membership, event.at)}</p>
    <p><strong><code>${event.type}</code></strong>${aboutOf(event)}</p>
    <details><summary>Ver el contenido<span class="unseen"> de ${event.id}</span></summary>${payloadOf(event)}</details></li>`;
}

/** What the event is about, where it says so. */
function aboutOf({ body }: LoggedEvent): string {
  const { marketplace, carrier, id, item_id, purse } = WITH_DATA.parse(JSON.parse(body)).data;
  const service = textOf(marketplace) ?? textOf(carrier);
  const thing = textOf(id) ?? textOf(item_id) ?? textOf(purse);
  const about = [service && serviceName(service), thing].filter(Boolean);
  return about.length === 0 ? '' : ` · ${about.join(' · ')}`;
}

const WITH_DATA = z.object({ data: z.record(z.string(), z.unknown()) });

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function payloadOf({ body }: LoggedEvent): Html {
  return html`<pre><code>${JSON.stringify(parseLossless(body), null, 2)}</code></pre>`;
}

function emptyWords({ type, objectId }: Filters): string {
  if (objectId !== null) return 'No hay eventos con ese identificador.';
  return type === null ? 'No hay eventos.' : 'No hay eventos de ese tipo.';
}

function olderLink(
  membership: PageMembership,
  { type, objectId }: Filters,
  last: LoggedEvent,
): Html {
  const more = {
    ...(type !== null && { tipo: type }),
    ...(objectId !== null && { objeto: objectId }),
    antes: String(epochMicros(last.loggedAt)),
  };
  return html`<p><a href="${addressIn(membership, WEBHOOK_PATHS.events, more)}">Ver los anteriores</a></p>`;
}

function typeIn({ query }: PageRequest): EventType | null {
  return LOGGED_TYPES.find((one) => one === query.get('tipo')) ?? null;
}

function objectIn({ query }: PageRequest): string | null {
  const text = (query.get('objeto') ?? '').trim();
  return text === '' || !isStorableText(text) ? null : text.slice(0, MOST_ID);
}

function placeIn({ query }: PageRequest): Instant | null {
  const text = query.get('antes') ?? '';
  return /^\d{1,16}$/.test(text) ? fromEpochMicros(Number(text)) : null;
}
