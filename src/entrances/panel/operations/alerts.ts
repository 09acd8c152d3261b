import { z } from 'zod';
import {
  connectionIdIn,
  listAlerts,
  listResolvedAlerts,
  pageOfAlert,
  RESOLVED_DAYS,
  reopenAlert,
  settleAlert,
} from '../../../features/alerts/index.ts';
import { namesOfSeveral } from '../../../features/connections/index.ts';
import { may, setAlertMails, wantsAlertMails } from '../../../features/people/index.ts';
import { WAREHOUSE_ALERTS } from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { PAGE_NAMES } from '../../../platform/site-pages.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { memberNames, nameOfMember } from './actors.ts';

const Alert = z.object({
  kind: z.string(),
  subject: z.string(),
  message: z.string(),
  /** The account's name where the service has several; null = there is none to name. */
  account: z.string().nullable(),
  /** Of the alert's kind; null = it has none. */
  page: z.enum(PAGE_NAMES).nullable(),
  first_at: z.string(),
  last_at: z.string(),
  count: z.int(),
});

const MOST = 200;

/** The unresolved alerts that concern the role, newest first. */
export const listAlertsOperation = defineRead({
  action: 'read_lines',
  capability: null,
  input: inputOf({}),
  output: z.object({ data: z.array(Alert), has_more: z.boolean() }),
  async run({ scope, role }) {
    const kinds = may(role, 'read_alerts') ? null : WAREHOUSE_ALERTS;
    const alerts = await listAlerts(scope, { all: false, kinds, limit: MOST + 1 });
    const accounts = await namesOfSeveral(scope);
    return {
      has_more: alerts.length > MOST,
      data: alerts.slice(0, MOST).map(({ kind, subject, message, firstAt, lastAt, count }) => ({
        kind,
        subject,
        message,
        account: accounts.get(connectionIdIn(subject)) ?? null,
        page: pageOfAlert(kind),
        first_at: formatMillis(firstAt),
        last_at: formatMillis(lastAt),
        count,
      })),
    };
  },
});

const ResolvedAlert = Alert.pick({
  kind: true,
  subject: true,
  message: true,
  account: true,
  first_at: true,
}).extend({
  resolved_at: z.string(),
  /** The name of a person; null = the alert ended by itself. */
  settled_by: z.string().nullable(),
});

/** The alerts that concern the role and ended in the last days, the last one first. */
export const listResolvedAlertsOperation = defineRead({
  action: 'read_lines',
  capability: null,
  input: inputOf({}),
  output: z.object({ data: z.array(ResolvedAlert), has_more: z.boolean(), days: z.int() }),
  async run({ scope, clock, role }) {
    const kinds = may(role, 'read_alerts') ? null : WAREHOUSE_ALERTS;
    const alerts = await listResolvedAlerts(scope, clock.now(), { kinds, limit: MOST + 1 });
    const accounts = await namesOfSeveral(scope);
    const names = await memberNames(scope);
    return {
      days: RESOLVED_DAYS,
      has_more: alerts.length > MOST,
      data: alerts
        .slice(0, MOST)
        .map(({ kind, subject, message, firstAt, resolvedAt, settledBy }) => ({
          kind,
          subject,
          message,
          account: accounts.get(connectionIdIn(subject)) ?? null,
          first_at: formatMillis(firstAt),
          resolved_at: formatMillis(resolvedAt),
          settled_by: settledBy && nameOfMember(settledBy, names),
        })),
    };
  },
});

const LONGEST = 500;
const named = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(LONGEST)
    .meta({ description, examples: [example] });

const WHICH = {
  kind: named('La clase de la alerta.', 'unreadable_page'),
  subject: named('De qué trata.', '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90'),
};

/** Settles an alert; the same problem raises it anew. */
export const settleAlertOperation = defineWrite({
  action: 'manage_connections',
  capability: null,
  input: inputOf(WHICH),
  /** Null = it was settled already. */
  output: z.object({ settled_at: z.string().nullable() }),
  async run({ database, by }, alert) {
    const at = await database.write((scope) => settleAlert(scope, by, alert));
    return { settled_at: at && formatMillis(at) };
  },
});

/** Takes the settling back, unless the problem was raised or ended anew since then. */
export const reopenAlertOperation = defineWrite({
  action: 'manage_connections',
  capability: null,
  input: inputOf({
    ...WHICH,
    settled_at: z.iso
      .datetime()
      .meta({ description: 'Cuándo se resolvió.', examples: ['2026-11-20T18:00:00.000Z'] }),
  }),
  output: z.object({ reopened: z.boolean() }),
  run: async ({ database, by }, { settledAt, ...alert }) => ({
    reopened: await database.write((scope) =>
      reopenAlert(scope, by, alert, Temporal.Instant.from(settledAt)),
    ),
  }),
});

const AlertMails = z.object({ wanted: z.boolean() });

/** Whether the caller is mailed when an alert of this organisation begins. */
export const readAlertMailsOperation = defineRead({
  action: 'read_alerts',
  capability: null,
  input: inputOf({}),
  output: AlertMails,
  run: async ({ scope, person }) => ({ wanted: await wantsAlertMails(scope, person.id) }),
});

export const setAlertMailsOperation = defineWrite({
  action: 'read_alerts',
  capability: null,
  isOpenAfterTrial: true,
  input: inputOf({
    wanted: z
      .boolean()
      .meta({ description: 'Si quiere un correo cuando empieza una alerta.', examples: [true] }),
  }),
  output: AlertMails,
  async run({ database, person }, { wanted }) {
    await database.write((scope) => setAlertMails(scope, person.id, wanted));
    return { wanted };
  },
});
