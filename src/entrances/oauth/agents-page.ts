import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Membership, may, membershipsOf } from '../../features/accounts/index.ts';
import { type Agent, disconnectAgent, listAgents } from '../../features/grants/index.ts';
import { fail } from '../../platform/failure.ts';
import { escapeHtml } from '../../platform/html.ts';
import { readForm } from '../own-form.ts';
import { renderPage } from '../page.ts';
import type { AuthorizationParts, Visitor } from './parts.ts';
import { visitorOf } from './visitor.ts';
import { momentInMexico, SCOPE_WORDS } from './words.ts';

const PATH = '/cuenta/agentes';

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
    await disconnect(parts, visitor, memberships, await readForm(request, parts.people.isOwnOrigin));
    return void response.writeHead(303, { location: PATH, 'content-length': 0 }).end();
  }
  const sections: string[] = [];
  for (const membership of memberships)
    sections.push(sectionOf(membership, await agentsOf(parts, visitor, membership)));
  renderPage(response, {
    title: 'Agentes conectados',
    body: `${sections.length > 0 ? sections.join('') : '<p>Tu cuenta no pertenece a ninguna organización.</p>'}<p><a href="/cuenta">Volver a mi cuenta</a></p>`,
  });
}

async function disconnect(
  parts: AuthorizationParts,
  visitor: Visitor,
  memberships: readonly Membership[],
  form: URLSearchParams,
): Promise<void> {
  const membership = memberships.find(({ organizationId }) => organizationId === form.get('organizacion'));
  const agents = membership ? await agentsOf(parts, visitor, membership) : [];
  const agent = agents.find(({ grantId }) => grantId === form.get('agente'));
  if (!membership || !agent) throw fail('not_found', { message: 'No hay un agente tuyo con ese nombre.' });
  await parts.database
    .within(membership.organizationId)
    .write((scope) => disconnectAgent(scope, agent.grantId));
}

/** One's own; who manages the organisation sees all. */
async function agentsOf(
  { database }: AuthorizationParts,
  visitor: Visitor,
  { organizationId, role }: Membership,
): Promise<Agent[]> {
  const agents = await database.within(organizationId).read(listAgents);
  return may(role, 'manage_agents') ? agents : agents.filter(({ personId }) => personId === visitor.id);
}

function sectionOf({ organizationId, organizationName }: Membership, agents: readonly Agent[]): string {
  const entries = agents.map((agent) => entryOf(organizationId, agent));
  return `<section><h2>${escapeHtml(organizationName)}</h2>${entries.length > 0 ? entries.join('') : '<p>No hay agentes conectados.</p>'}</section>`;
}

function entryOf(organizationId: string, agent: Agent): string {
  const { clientName, redirectHost, personName, createdAt, lastUsedAt, scopes, tools } = agent;
  const used = lastUsedAt ? `Último uso: ${momentInMexico(lastUsedAt)}.` : 'Todavía no se usa.';
  const called = tools.map(
    ({ tool, count, lastAt }) =>
      `<li>${escapeHtml(tool)}: ${count} ${count === 1 ? 'vez' : 'veces'}, la última ${momentInMexico(lastAt)}</li>`,
  );
  return `<article><h3>${escapeHtml(clientName)}</h3><p>Responde a ${escapeHtml(redirectHost)}. Lo conectó ${escapeHtml(personName)} el ${momentInMexico(createdAt)}. ${used}</p><p>Puede leer:</p><ul>${scopes.map((scope) => `<li>${SCOPE_WORDS[scope]}</li>`).join('')}</ul>${called.length > 0 ? `<p>Herramientas que ha usado:</p><ul>${called.join('')}</ul>` : ''}<form method="post"><input type="hidden" name="organizacion" value="${escapeHtml(organizationId)}"><button type="submit" name="agente" value="${escapeHtml(agent.grantId)}">Desconectar ${escapeHtml(clientName)}</button></form></article>`;
}
