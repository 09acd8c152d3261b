import { z } from 'zod';
import { SERVICES } from '../../carriers/registry.ts';
import { CONNECTION_STATES, type Freshness } from '../../features/connections/index.ts';
import { formatMillis } from '../../platform/time.ts';
import { nullable } from './tool.ts';

/**
 * What every answer of a tool has; a tool that says one of them otherwise has it among its own
 * keys.
 */
export const EVERY_ANSWER = {
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
    .describe(
      'Las cuentas que no están al día, y la de datos más antiguos. Dilo si una no está en ok.',
    ),
  meta: z.object({ request_id: z.string().describe('Inclúyelo al pedir ayuda.') }),
};

/** The values of `EVERY_ANSWER` in one answer. */
interface EveryAnswer {
  readonly asOf: string;
  readonly requestId: string;
  readonly freshness: readonly Freshness[];
  /** Keys that the tool's own answer has. */
  readonly ownKeys: readonly string[];
}

/** The whole answer: the tool's own, the JSON of an object, with what every answer has. */
export function completed(
  json: string,
  { asOf, requestId, freshness, ownKeys }: EveryAnswer,
): string {
  const parts = {
    as_of: `"${asOf}"`,
    freshness: JSON.stringify(freshness.map(shown)),
    meta: `{"request_id":"${requestId}"}`,
  };
  let text = json.slice(0, -1);
  for (const [key, value] of Object.entries(parts))
    if (!ownKeys.includes(key)) text += `${text.length > 1 ? ',' : ''}"${key}":${value}`;
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
