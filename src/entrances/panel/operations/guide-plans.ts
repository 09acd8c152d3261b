import { z } from 'zod';
import { dryRun } from '../../../exchange/guides/dry-run.ts';
import { listBalances } from '../../../features/balances/index.ts';
import { may } from '../../../features/people/index.ts';
import { type PlannedGuide, wanted } from '../../../features/warehouse/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';
import { AddressShape } from './address-shape.ts';
import { Fault } from './attempt-shapes.ts';
import { lineIdsField } from './line-fields.ts';
import { Articles } from './line-shapes.ts';

export const PREPARE = { action: 'prepare_lines', capability: null } as const;
export const accountField = wording(
  'La cuenta de la paquetería; sin ella, la de la configuración.',
  '12345',
);

const Planned = z.object({
  line_id: z.string(),
  readiness: z.enum(['ready', 'has_guide', 'waiting', 'blocked']),
  /** All that keeps the line from its guide. */
  lacks: z.array(Fault.extend({ articles: Articles })),
  packages: z.int(),
  /** Null = the line has none. */
  destination: AddressShape.nullable(),
  /** What goes into the parcel. */
  items: z.array(z.object({ title: z.string(), quantity: z.int() })),
  /** Of each package; null = nothing would be sent. */
  weight_kg: z.number().nullable(),
  length_cm: z.number().nullable(),
  width_cm: z.number().nullable(),
  height_cm: z.number().nullable(),
});
/** A paused one makes guides, and its shipments are not read. */
const Account = z.object({ id: z.string(), name: z.string(), is_paused: z.boolean() });
const LastBalance = z.object({ available: z.number(), currency: z.string(), taken_at: z.string() });

/** A dry run: what a batch would ask the carrier for. Nothing is sent. */
export const planGuidesOperation = defineRead({
  ...PREPARE,
  input: inputOf({
    line_ids: lineIdsField('Las líneas.'),
    account_id: accountField,
  }),
  output: z.object({
    carrier: z.string(),
    /** Null = none can be used; each line says why. */
    account: Account.nullable(),
    accounts: z.array(Account),
    /** Of that account; null = the carrier never reported it, or the role sees no money. */
    balance: LastBalance.nullable(),
    service_type: z.string(),
    goods: z.object({ content: z.string(), product_id: z.string() }),
    ready: z.int(),
    lines: z.array(Planned),
  }),
  async run({ scope, role }, query) {
    const plan = await dryRun(scope, query);
    return {
      carrier: plan.carrier,
      account: plan.account && shownAccount(plan.account),
      accounts: plan.accounts.map(shownAccount),
      balance:
        plan.account && may(role, 'read_money') ? await lastBalance(scope, plan.account) : null,
      service_type: plan.serviceType,
      goods: { content: plan.goods.content, product_id: plan.goods.productId },
      ready: plan.lines.filter(({ readiness }) => readiness === 'ready').length,
      lines: plan.lines.map(shownPlan),
    };
  },
});

type Plan = Awaited<ReturnType<typeof dryRun>>;

async function lastBalance(
  scope: ReadScope,
  { service, accountId }: NonNullable<Plan['account']>,
): Promise<z.output<typeof LastBalance> | null> {
  const { balances } = await listBalances(scope, [service]);
  const reported = balances.find((balance) => balance.accountId === accountId);
  if (!reported || reported.available === null) return null;
  const { available, currency, asOf } = reported;
  return { available: toAmount(available), currency, taken_at: formatMillis(asOf) };
}

function shownAccount({
  accountId,
  name,
  state,
}: Plan['accounts'][number]): z.output<typeof Account> {
  return { id: accountId, name, is_paused: state === 'paused' };
}

function shownPlan({
  line,
  readiness,
  obstacles,
  request,
}: PlannedGuide): z.output<typeof Planned> {
  return {
    line_id: line.id,
    readiness,
    lacks: obstacles.map((each) => ({ ...each, articles: [...each.articles] })),
    packages: line.packages,
    destination: line.destination,
    items: wanted(line.orders).flatMap(({ items }) =>
      items.map(({ title, quantity }) => ({ title, quantity })),
    ),
    weight_kg: request && toAmount(request.weightKg),
    length_cm: request && toAmount(request.lengthCm),
    width_cm: request && toAmount(request.widthCm),
    height_cm: request && toAmount(request.heightCm),
  };
}
