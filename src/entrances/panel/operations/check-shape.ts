/** A comparison of an account's orders, as the panel shows it. */
import { z } from 'zod';
import { OUTCOMES } from '../../../exchange/sync/check-orders.ts';

const MOST_NAMED = 200;

export const CheckShape = z.object({
  has_list: z.boolean(),
  /** What changed in this time was compared; null = by an older release. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  listed: z.int(),
  /** Those of `listed` that are ours now. */
  stored: z.int(),
  missing: z.array(z.object({ id: z.string(), outcome: z.enum(OUTCOMES) })),
  /** All of them, of which `missing` has the first. */
  missing_count: z.int(),
  /** Why the comparison ended before the end; null = it is complete. */
  stopped: z.string().nullable(),
});

/** As the queue holds it. */
const Checked = z.object({
  hasList: z.boolean(),
  from: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  listed: z.int(),
  missing: z.array(z.object({ id: z.string(), outcome: z.enum(OUTCOMES) })),
  stopped: z.string().nullable(),
});

/** @param output of the job, as the queue holds it */
export function shownCheck(output: unknown): z.output<typeof CheckShape> {
  const { hasList, from, to, listed, missing, stopped } = Checked.parse(output);
  return {
    has_list: hasList,
    from,
    to,
    listed,
    stored: listed - missing.filter(({ outcome }) => outcome !== 'fetched').length,
    missing: missing.slice(0, MOST_NAMED),
    missing_count: missing.length,
    stopped,
  };
}
