/** The shapes of guides in the panel. */
import { z } from 'zod';
import { may, type Role } from '../../../features/people/index.ts';
import { type Attempt, presentAttempt, withoutMoney } from '../../../features/warehouse/index.ts';

export const Fault = z.object({ code: z.string(), message: z.string() });

/** Of a guide; left out for roles that do not see money. */
export const Cost = z.object({
  amount: z.number().nullable().optional(),
  available_balance: z.number().nullable().optional(),
  currency: z.string().optional(),
});

export const AttemptShape = Cost.extend({
  attempt_id: z.string(),
  reference: z.string(),
  state: z.enum(['queued', 'sent', 'ok', 'failed', 'unknown']),
  carrier: z.string(),
  tracking: z.string().nullable(),
  guide: z.string().nullable(),
  has_zpl: z.boolean(),
  has_pdf: z.boolean(),
  error: Fault.nullable(),
  queued_at: z.string(),
  sent_at: z.string().nullable(),
  settled_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
});

/** An attempt as a person with this role sees it. */
export function shownAttempt(attempt: Attempt, role: Role): z.output<typeof AttemptShape> {
  const shown = presentAttempt(attempt);
  const seen = may(role, 'read_money') ? shown : withoutMoney(shown);
  return seen as unknown as z.output<typeof AttemptShape>;
}
