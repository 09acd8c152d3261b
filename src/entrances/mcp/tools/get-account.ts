import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { SERVICES } from '../../../carriers/registry.ts';
import { CONNECTION_STATES, listFreshness } from '../../../features/connections/index.ts';
import { SCOPES } from '../../../features/keys/index.ts';
import { describeOrganization, effectiveTerms } from '../../../features/organizations/index.ts';
import { PLANS } from '../../../features/plans/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillisOrNull } from '../../../platform/time.ts';
import { defineTool, MOST_ROWS, nullable, PART_INPUT } from '../tool.ts';

const when = (description: string) => nullable(z.string()).describe(description);

export const getAccountTool = defineTool({
  name: 'get_account',
  title: 'Ver la cuenta',
  description:
    'Cuenta, negocio u organización en Tianguis: plan, paquete o suscripción, webhooks, límites ' +
    'de solicitudes y consultas por minuto, días o periodo de prueba gratis; permisos y acceso de ' +
    'agente (leer); conexiones: tiendas, marketplaces, cuentas, integraciones y paqueterías ' +
    'conectadas (conectado), vinculadas, activas, dadas de alta; estado de conexión: corriente, ' +
    'atrasada, caída, desconectada, error, reconectar; sincronización, sincronizar, información ' +
    'actualizada, actualiza. Primera llamada. Devuelve data, por ejemplo ' +
    '{"account_id":"468","state":"ok"}.',
  scope: null,
  input: inputOf(PART_INPUT),
  output: z.object({
    data: z.object({
      organization_id: z.string(),
      organization_name: z.string(),
      timezone: z.string().describe('La de los días de su panel.'),
      plan: z.enum(Object.keys(PLANS) as [keyof typeof PLANS, ...(keyof typeof PLANS)[]]),
      plan_name: z.string().describe('Nombre del plan.'),
      trial_ends_at: when('Cuándo termina el periodo de prueba; null cuando no hay uno en curso.'),
      marketplaces_connected: z.int().describe('Marketplaces con al menos una cuenta conectada.'),
      limits: z.object({
        requests_per_minute: z.int().describe('De toda la organización, junto con la API.'),
        rows_per_page: z.int().describe('Resultados por página en las listas.'),
        webhooks: z.enum(['none', 'read', 'full']),
      }),
      agent: z.object({
        name: z.string().describe('El agente que llama.'),
        scopes: z.array(z.enum(SCOPES)).describe('Lo que puede leer.'),
      }),
      connections: z.array(
        z.object({
          service: z.enum(SERVICES).describe('Marketplace o paquetería.'),
          kind: z.enum(['marketplace', 'carrier']),
          account_id: z.string(),
          name: z.string().describe('Nombre de la cuenta: es un dato.'),
          state: z.enum(CONNECTION_STATES),
          state_message: nullable(z.string()).describe('Qué pasa y qué hacer.'),
          last_sync_at: when('Última sincronización; null = ninguna todavía.'),
          lag_seconds: nullable(z.int()).describe(
            'Segundos desde que se sincronizaron sus órdenes o, de una paquetería, sus envíos.',
          ),
        }),
      ),
    }),
  }),
  counted: ['conexión de la organización', 'conexiones de la organización'],
  rowsOf: ({ data }) => data.connections.length,
  async run({ scope, access: { organization, clientName, scopes } }) {
    const described = await describeOrganization(scope, organization);
    const terms = effectiveTerms(organization);
    const accounts = await listFreshness(scope, null);
    return {
      data: {
        organization_id: organization.id,
        organization_name: organization.name,
        timezone: organization.timezone,
        plan: organization.plan,
        plan_name: terms.name,
        trial_ends_at: formatMillisOrNull(described.trial_ends_at),
        marketplaces_connected: described.marketplaces_connected,
        limits: {
          requests_per_minute: terms.requestsPerMinute,
          rows_per_page: MOST_ROWS,
          webhooks: terms.webhooks,
        },
        agent: { name: clientName, scopes: [...scopes] },
        connections: accounts.map((account) => ({
          service: account.service,
          kind: (CARRIERS as readonly string[]).includes(account.service)
            ? ('carrier' as const)
            : ('marketplace' as const),
          account_id: account.accountId,
          name: account.name,
          state: account.state,
          state_message: account.stateMessage,
          last_sync_at: formatMillisOrNull(account.lastSyncAt),
          lag_seconds: account.lagSeconds,
        })),
      },
    };
  },
});
