import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Agent,
  disconnectAgent,
  disconnectAgentsOf,
  listAgents,
} from '../../features/grants/index.ts';
import { type Membership, may, membershipsOf } from '../../features/people/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import { fail } from '../../platform/failure.ts';
import type { Operator } from '../../platform/operator.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { momentIn } from '../../platform/time.ts';
import { copyButton } from '../copied.ts';
import { contextOf } from '../http.ts';
import { frameOf, rememberedOrganization } from '../navigation.ts';
import { readForm } from '../own-form.ts';
import { alarm, COPY_SCRIPT_PATH, type Html, html, note, noteIn, renderPage } from '../page.ts';
import { frameHtml } from '../page-frame.ts';
import { SCOPE_WORDS, suspensionOf } from '../words.ts';
import type { AuthorizationParts, Visitor } from './authorization-parts.ts';
import { resourceOf } from './provider.ts';
import { isOnComputer } from './redirect.ts';
import { visitorOf } from './visitor.ts';

const PATH = SITE_PAGES.agents.path;

const NOTES: Readonly<Record<string, string>> = {
  desconectado: 'Se desconectó el agente. Ya no puede leer nada.',
  todos: 'Se desconectaron todos los agentes que conectaste. Ya no pueden leer nada.',
};

const END_ALL = html`<form method="post"><p>¿Cambiaste tu contraseña, o dudas de alguno? Desconecta todos los agentes que
    conectaste, en todas tus organizaciones. Los de otras personas no cambian.</p>
    <p><button type="submit" name="todos" value="mios">Desconectar todos los míos</button></p></form>`;

/** The page of connected agents: what each may read, when it last did, and the way to end it. */
export async function answerAgentsPage(
  parts: AuthorizationParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const visitor = await visitorOf(parts, request, response);
  if (!visitor) return;
  const memberships = await parts.database.read((handle) => membershipsOf(handle, visitor.id));
  if (request.method === 'POST') {
    const form = await readForm(request, parts.people.isOwnOrigin);
    const by = { personId: visitor.id, address: contextOf(request).address };
    const said = await disconnect(parts, { visitor, by, memberships }, form);
    const location = `${PATH}?aviso=${said}`;
    return void response.writeHead(303, { location, 'content-length': 0 }).end();
  }
  const sections: Html[] = [];
  let hasOwn = false;
  for (const membership of memberships) {
    const agents = await agentsOf(parts, visitor, membership);
    hasOwn ||= agents.some(({ personId }) => personId === visitor.id);
    const { operator } = contextOf(request);
    sections.push(sectionOf(membership, agents, { operator, endpoint: resourceOf(parts) }));
  }
  const { searchParams } = new URL(request.url ?? PATH, 'http://tianguis');
  const asked = [searchParams.get('organizacion'), rememberedOrganization(request.headers.cookie)];
  const frame = await parts.database.read((handle) => frameOf(handle, visitor, asked));
  renderPage(response, {
    title: SITE_PAGES.agents.name,
    script: COPY_SCRIPT_PATH,
    frame: frameHtml(frame, PATH, parts.clock.now()),
    body: html`${note(noteIn(NOTES, searchParams))}${hasOwn ? END_ALL : html``}
      ${sections.length > 0 ? sections : html`<p>Tu cuenta no pertenece a ninguna organización.</p>`}`,
  });
}

/** @returns what is said of it afterwards */
async function disconnect(
  parts: AuthorizationParts,
  {
    visitor,
    by,
    memberships,
  }: { visitor: Visitor; by: PersonDoing; memberships: readonly Membership[] },
  form: URLSearchParams,
): Promise<string> {
  if (form.get('todos') === 'mios') {
    for (const { organizationId } of memberships)
      await parts.database
        .within(organizationId)
        .write((scope) => disconnectAgentsOf(scope, by, by.personId));
    return 'todos';
  }
  const membership = memberships.find(
    ({ organizationId }) => organizationId === form.get('organizacion'),
  );
  const agents = membership ? await agentsOf(parts, visitor, membership) : [];
  const agent = agents.find(({ grantId }) => grantId === form.get('agente'));
  if (!membership || !agent)
    throw fail('not_found', { message: 'No hay un agente tuyo con ese nombre.' });
  await parts.database
    .within(membership.organizationId)
    .write((scope) => disconnectAgent(scope, by, agent.grantId));
  return 'desconectado';
}

/** A person's own agents; a person with the right to manage the organisation sees all. */
async function agentsOf(
  { database }: AuthorizationParts,
  visitor: Visitor,
  { organizationId, role }: Membership,
): Promise<Agent[]> {
  const agents = await database.within(organizationId).read(listAgents);
  return may(role, 'manage_agents')
    ? agents
    : agents.filter(({ personId }) => personId === visitor.id);
}

interface Installation {
  readonly operator: Operator;
  /** Where agents connect. */
  readonly endpoint: string;
}

function sectionOf(
  membership: Membership,
  agents: readonly Agent[],
  { operator, endpoint }: Installation,
): Html {
  const { organizationId, organizationName, role, isSuspended } = membership;
  const entries = agents.map((agent) => entryOf(membership, agent));
  return html`<section><h2>${organizationName}</h2>${alarm(isSuspended ? suspensionOf(organizationName, role, operator) : null)}
    ${entries.length > 0 ? entries : html`<p>No hay agentes conectados.</p>`}
    ${isSuspended ? html`` : howToConnect(organizationId, endpoint, entries.length > 0)}</section>`;
}

function howToConnect(organizationId: string, endpoint: string, hasSome: boolean): Html {
  const id = `servidor-${organizationId}`;
  return html`<h3>Conecta ${hasSome ? 'otro' : 'tu primer'} agente</h3>
    <ol><li>Copia la dirección del servidor MCP: <code id="${id}">${endpoint}</code> ${copyButton(id, 'Copiar dirección')}</li>
    <li>En tu agente, busca dónde se agregan conectores o servidores MCP y pega la dirección.</li>
    <li>Se abre tu navegador: entra con tu cuenta y elige qué puede leer.</li></ol>
    <p>Los agentes están incluidos desde el plan Intermedio.</p>`;
}

/** A port of a computer tells a person nothing. */
function whereIs(redirectHost: string): string {
  return isOnComputer(redirectHost)
    ? 'Es una aplicación instalada en una computadora.'
    : `Se conectó desde ${redirectHost}.`;
}

function entryOf({ organizationId, timezone }: Membership, agent: Agent): Html {
  const { clientName, redirectHost, personName, createdAt, lastUsedAt, scopes, tools } = agent;
  const used = lastUsedAt ? `Último uso: ${momentIn(timezone, lastUsedAt)}` : 'Sin usar.';
  const called = tools.map(
    ({ tool, count, lastAt }) =>
      html`<li>${tool}: ${count} ${count === 1 ? 'vez' : 'veces'}, la última ${momentIn(timezone, lastAt)}</li>`,
  );
  return html`<article><h3>${clientName}</h3>
    <p>${whereIs(redirectHost)} Lo conectó ${personName} el ${momentIn(timezone, createdAt)} ${used}</p>
    <p>Puede leer:</p><ul>${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}</ul>
    ${called.length > 0 ? html`<p>Herramientas que ha usado:</p><ul>${called}</ul>` : html``}
    <form method="post"><input type="hidden" name="organizacion" value="${organizationId}">
    <button type="submit" name="agente" value="${agent.grantId}">Desconectar ${clientName}</button></form></article>`;
}
