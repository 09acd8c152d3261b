import { disconnectAgent, listAgents } from '../features/grants/index.ts';
import { fail } from '../platform/failure.ts';
import { formatMillis } from '../platform/time.ts';
import { type Command, inContext, organizationOf } from './command.ts';

export const agentsCommand: Command = {
  usage: 'agents --organization ID',
  about: 'Lista los agentes conectados: quién los conectó, qué leen y cuándo se usaron.',
  options: ['organization'],
  required: ['organization'],
  async run({ organization: id }) {
    const agents = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).read(listAgents);
    });
    const rows = agents.map((agent) => ({
      agent: agent.grantId,
      name: agent.clientName,
      redirect: agent.redirectHost,
      person: agent.personName,
      scopes: agent.scopes,
      created_at: formatMillis(agent.createdAt),
      last_used_at: agent.lastUsedAt && formatMillis(agent.lastUsedAt),
      tools: agent.tools.map(({ tool, count, lastAt }) => ({
        tool,
        count,
        last_at: formatMillis(lastAt),
      })),
    }));
    const lines = rows.map(
      (row) =>
        `${row.agent}  ${row.name} (${row.redirect}), de ${row.person}: ${row.scopes.join(' ')}; último uso: ${row.last_used_at ?? 'nunca'}`,
    );
    return {
      json: { agents: rows },
      text: lines.length > 0 ? lines.join('\n') : 'No hay agentes conectados.',
    };
  },
};

export const disconnectAgentCommand: Command = {
  usage: 'disconnect-agent --organization ID --agent AGENTE',
  about: 'Desconecta un agente; deja de servir en menos de un segundo.',
  options: ['organization', 'agent'],
  required: ['organization', 'agent'],
  async run({ organization: id, agent = '' }) {
    const wasConnected = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database
        .within(organization.id)
        .write((scope) => disconnectAgent(scope, 'operator', agent));
    });
    if (!wasConnected)
      throw fail('not_found', {
        message: 'Esa organización no tiene un agente conectado con ese nombre.',
      });
    return { json: { agent, disconnected: true }, text: `Agente ${agent} desconectado.` };
  },
};
