import { z } from 'zod';
import { SERVICES } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { Freshness, FreshnessMemory } from '../../features/connections/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { formatMillis } from '../../platform/time.ts';
import { nullable } from './tools.ts';

export const CONNECTION_STATES = [
  'ok',
  'delayed',
  'reauth_required',
  'error',
  'disconnected',
] as const;

/**
 * What every answer of a tool has; a tool that says one of them otherwise has it among its own
 * keys.
 */
export const COMMON = {
  as_of: z.string().describe('De cuándo es la respuesta, en UTC.'),
  freshness: z
    .array(
      z.object({
        marketplace: z.enum(SERVICES).describe('Marketplace o paquetería.'),
        account_id: z.string(),
        last_sync_at: nullable(z.string()).describe(
          'Última sincronización; null = ninguna todavía.',
        ),
        state: z.enum(CONNECTION_STATES),
      }),
    )
    .describe('Qué tan reciente es lo que se sabe de cada cuenta. Dilo cuando una no esté en ok.'),
  meta: z.object({ request_id: z.string().describe('Inclúyelo al pedir ayuda.') }),
};

interface Made {
  readonly stream: StreamName | null;
  readonly asOf: string;
  readonly requestId: string;
  /** Keys that the tool's own answer has. */
  readonly own: readonly string[];
}

/** The whole answer: the tool's own, the JSON of an object, with what every answer has. */
export async function completed(
  scope: ReadScope,
  freshness: FreshnessMemory,
  json: string,
  made: Made,
): Promise<string> {
  const parts: [key: keyof typeof COMMON, json: () => Promise<string> | string][] = [
    ['as_of', () => `"${made.asOf}"`],
    ['freshness', async () => JSON.stringify((await freshness.get(scope, made.stream)).map(shown))],
    ['meta', () => `{"request_id":"${made.requestId}"}`],
  ];
  let text = json.slice(0, -1);
  for (const [key, write] of parts) {
    if (made.own.includes(key)) continue;
    text += `${text.length > 1 ? ',' : ''}"${key}":${await write()}`;
  }
  return `${text}}`;
}

function shown({ service, accountId, state, lastSyncAt }: Freshness) {
  return {
    marketplace: service,
    account_id: accountId,
    last_sync_at: lastSyncAt && formatMillis(lastSyncAt),
    state,
  };
}
