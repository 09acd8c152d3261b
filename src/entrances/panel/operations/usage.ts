import { z } from 'zod';
import { namesOfAgents } from '../../../features/grants/index.ts';
import { listKeys } from '../../../features/keys/index.ts';
import { effectiveTerms } from '../../../features/organizations/index.ts';
import { USAGE_SPANS, type UsageSpan, usageOf } from '../../../features/quota/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { choice, inputOf, instant, wording } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

/** The quota's current window, as in the headers of an answer. */
export const usageMeterOperation = defineRead({
  kind: 'poll',
  action: 'manage_keys',
  capability: 'api',
  input: inputOf({}),
  output: z.object({
    /** Requests a window. */
    limit: z.int(),
    used: z.int(),
    /** Seconds until the window ends; null = none has begun. */
    seconds_left: z.int().nullable(),
  }),
  async run({ quota, organization }) {
    const { requestsPerMinute } = effectiveTerms(organization);
    const { limit, remaining, retryAfter } = await quota.peek(organization.id, requestsPerMinute);
    const used = limit - remaining;
    return { limit, used, seconds_left: used === 0 ? null : retryAfter };
  },
});

const SPANS = Object.keys(USAGE_SPANS) as [UsageSpan, ...UsageSpan[]];
const Counts = z.object({ admitted: z.int(), refused: z.int() });
const Caller = Counts.extend({
  kind: z.enum(['key', 'agent']),
  id: z.string(),
  /** Null where it no longer exists. */
  name: z.string().nullable(),
  /** Of a key. */
  last_four: z.string().nullable(),
  /** The minute of its last request. */
  last_at: z.string(),
});

/** The requests of an hour by minute, or of a day by hour; `refused` were 429. */
export const readUsageOperation = defineRead({
  action: 'manage_keys',
  capability: 'api',
  input: inputOf({
    span: choice(SPANS, 'Una hora o un día.', 'day'),
    from: instant('Desde cuándo. Sin este dato, hasta ahora.', '2026-11-20T18:00:00Z'),
    caller_id: wording('Solo las de esta clave o este agente.', 'key_1'),
  }),
  output: z.object({
    span: z.enum(SPANS),
    slots: z.array(Counts.extend({ at: z.string() })),
    peak: z.object({ at: z.string(), admitted: z.int() }).nullable(),
    callers: z.array(Caller),
  }),
  async run({ scope }, { span: asked, ...query }) {
    const span = asked ?? 'hour';
    const { slots, peak, callers } = await usageOf(scope, { span, ...query });
    const named = await namesIn(scope, callers);
    return {
      span,
      slots: slots.map(({ at, ...counts }) => ({ at: formatMillis(at), ...counts })),
      peak: peak && { at: formatMillis(peak.at), admitted: peak.admitted },
      callers: callers.map(({ lastAt, ...caller }) => ({
        ...caller,
        ...(named.get(caller.id) ?? { name: null, last_four: null }),
        last_at: formatMillis(lastAt),
      })),
    };
  },
});

interface Named {
  readonly name: string;
  readonly last_four: string | null;
}

/** What people call each key and each agent, the ended ones too. */
async function namesIn(
  scope: ReadScope,
  callers: readonly { readonly kind: 'key' | 'agent'; readonly id: string }[],
): Promise<ReadonlyMap<string, Named>> {
  const ids = callers.filter(({ kind }) => kind === 'agent').map(({ id }) => id);
  const [keys, agents] = [await listKeys(scope), await namesOfAgents(scope, ids)];
  return new Map<string, Named>([
    ...keys.map(({ id, name, lastFour }) => [id, { name, last_four: lastFour }] as const),
    ...agents.map(({ grantId, name }) => [grantId, { name, last_four: null }] as const),
  ]);
}
