import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  explainFinding,
  FINDING_KINDS,
  FINDING_STATES,
  type Finding,
  findFinding,
  listFindings,
} from '../../../features/findings/index.ts';
import { inputOf, orNull, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, defineWrite, toAmount } from '../operation.ts';

const LONGEST_TYPED = 1_000;

const ID = z.uuid().meta({
  description: 'El hallazgo.',
  examples: ['019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90'],
});

const FindingShape = z.object({
  id: z.string(),
  kind: z.enum(FINDING_KINDS),
  state: z.enum(FINDING_STATES),
  /** Null, as the account, where it concerns no single account. */
  marketplace: z.enum(MARKETPLACES).nullable(),
  account_id: z.string().nullable(),
  /** An order, a payout, a movement or a month. */
  subject: z.string(),
  amount: z.number(),
  /** What it should be; null = nothing is compared. */
  expected: z.number().nullable(),
  currency: z.string(),
  since: z.string(),
  note: z.string().nullable(),
});

/** Findings of one state, the newest first. */
export const listFindingsOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({
    state: z
      .enum(FINDING_STATES)
      .default('open')
      .meta({ description: 'El estado de los hallazgos.', examples: ['open'] }),
    ...pageInput({ usual: 100, most: 100 }),
  }),
  output: z.object({ data: z.array(FindingShape), next_cursor: z.string().nullable() }),
  async run({ scope, cursors }, query) {
    const { findings, nextCursor } = await listFindings(scope, cursors, {
      ...query,
      kind: null,
      marketplace: null,
    });
    return { data: findings.map(shown), next_cursor: nextCursor };
  },
});

/** One finding in whatever state, such as that of a link. */
export const getFindingOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({ id: ID }),
  output: z.object({ data: FindingShape }),
  run: async ({ scope }, { id }) => ({ data: shown(await findFinding(scope, id)) }),
});

/** Explains a finding by a note; without a note it is open again. */
export const explainFindingOperation = defineWrite({
  action: 'explain_findings',
  capability: null,
  input: inputOf({
    id: ID,
    note: orNull(
      z
        .string()
        .max(LONGEST_TYPED)
        .meta({ description: 'Por qué es así.', examples: ['Ajuste de septiembre'] }),
    ),
  }),
  output: z.object({ data: FindingShape }),
  run: async ({ database }, { id, note }) => ({
    data: shown(await database.write((scope) => explainFinding(scope, id, note))),
  }),
});

function shown(finding: Finding): z.infer<typeof FindingShape> {
  const { id, kind, state, marketplace, account_id, subject, currency, note } = finding;
  return {
    id,
    kind,
    state,
    subject,
    currency,
    note,
    marketplace: marketplace || null,
    account_id: account_id || null,
    amount: toAmount(finding.amount),
    expected: finding.expected && toAmount(finding.expected),
    since: formatMillis(finding.since),
  };
}
