import { z } from 'zod';
import { guideLabels } from '../../../exchange/guides/made-guide.ts';
import { cancelGuideJob } from '../../../exchange/jobs/cancel-guide.ts';
import { requestGuides } from '../../../exchange/jobs/guides.ts';
import { may, type Role } from '../../../features/people/index.ts';
import {
  attemptById,
  type Batch,
  batchById,
  costsOf,
  linesById,
  MOST_BATCH_LINES,
  presentBatch,
  recentBatches,
  resolveAttempt,
  withoutMoney,
} from '../../../features/warehouse/index.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, defineWrite, toAmount } from '../operation.ts';
import { actorName, actorOf, memberNames } from './actors.ts';
import { AttemptShape, Cost, Fault, shownAttempt } from './attempt-shapes.ts';
import { accountField, PREPARE } from './guide-plans.ts';
import { idField, lineIdsIn } from './line-fields.ts';

const ID = '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28';
const OF_ATTEMPT = idField('El intento.');

/** Asks for the guides of some lines; the same key again is the same batch. */
export const requestGuidesOperation = defineWrite({
  ...PREPARE,
  isJob: true,
  input: inputOf({
    line_ids: lineIdsIn(MOST_BATCH_LINES),
    account_id: accountField,
    idempotency_key: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'Una clave por solicitud.', examples: [ID] }),
  }),
  output: z.object({ batch_id: z.string() }),
  async run({ database, exchange, by, role }, { lineIds, accountId, idempotencyKey }) {
    const actor = actorOf({ by, role });
    const request = { lineIds, accountId, idempotencyKey, overrides: {} };
    const { batchId } = await database.write((scope) =>
      requestGuides(scope, exchange, actor, request),
    );
    return { batch_id: batchId };
  },
});

/** Who asked for a batch; null = the product itself. */
const Requester = z.string().nullable();

const Outcome = Cost.extend({
  line_id: z.string(),
  /** Null = its turn has not come. */
  outcome: z.enum(['generated', 'already_generated', 'blocked', 'failed', 'unknown']).nullable(),
  attempt_id: z.string().nullable(),
  /** The orders of the line, and their pack. */
  orders: z.array(z.object({ id: z.string() })),
  pack_id: z.string().nullable(),
  tracking: z.string().nullable(),
  guide: z.string().nullable(),
  has_zpl: z.boolean(),
  has_pdf: z.boolean(),
  error: Fault.nullable(),
});

const BatchShape = z.object({
  requested_at: z.string(),
  by: Requester,
  /** The account of the carrier that was asked for; null = that of the settings. */
  account_id: z.string().nullable(),
  state: z.enum(['running', 'done']),
  results: z.array(Outcome),
  total: z.int(),
  pending: z.int(),
  /** Of the new guides; null = the role sees no money. */
  costs: z
    .object({
      made: z.int(),
      /** Guides whose cost the carrier said. */
      known: z.int(),
      sums: z.array(z.object({ currency: z.string(), amount: z.number() })),
    })
    .nullable(),
});

/** How far a batch is, line by line. */
export const readBatchOperation = defineRead({
  ...PREPARE,
  kind: 'poll',
  input: inputOf({ batch_id: idField('El lote.') }),
  output: BatchShape,
  async run({ scope, role }, { batchId }) {
    const batch = await batchById(scope, batchId);
    const ids = batch.lines.map(({ lineId }) => lineId);
    const lines = new Map((await linesById(scope, ids)).map((line) => [line.id, line]));
    const namesOf = (id: string) => ({
      orders: (lines.get(id)?.orders ?? []).map((order) => ({ id: order.id })),
      pack_id: lines.get(id)?.packId ?? null,
    });
    const by = actorName(batch.actor, await memberNames(scope));
    return { by, ...shownBatch(batch, role, namesOf) };
  },
});

/** The last batches, the newest first. */
export const recentBatchesOperation = defineRead({
  ...PREPARE,
  kind: 'poll',
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({
        batch_id: z.string(),
        requested_at: z.string(),
        by: Requester,
        state: z.enum(['running', 'done']),
        total: z.int(),
        /** Guides that it made. */
        made: z.int(),
        /** Lines that had a guide before their turn. */
        had: z.int(),
        unknown: z.int(),
      }),
    ),
  }),
  async run({ scope }) {
    const batches = await recentBatches(scope);
    const names = await memberNames(scope);
    return {
      data: batches.map(({ id, actor, requestedAt, isFinished, ...counts }) => ({
        batch_id: id,
        by: actorName(actor, names),
        requested_at: formatMillis(requestedAt),
        state: isFinished ? ('done' as const) : ('running' as const),
        ...counts,
      })),
    };
  },
});

/** Settles an attempt whose answer was lost: its number, or that there is no guide. */
export const settleAttemptOperation = defineWrite({
  ...PREPARE,
  input: inputOf({
    attempt_id: OF_ATTEMPT,
    tracking_number: wording(
      'El rastreo que tiene la paquetería; sin él, se confirma que no hay guía.',
      '6055900600123456789012',
    ),
    guide_number: wording('El número de guía.', 'ZVA123456'),
  }),
  output: z.object({ data: AttemptShape }),
  async run({ database, by, role }, { attemptId, trackingNumber, guideNumber }) {
    const actor = actorOf({ by, role });
    const answer =
      trackingNumber === null
        ? ({ exists: false } as const)
        : ({ exists: true, trackingNumber, guideNumber } as const);
    const settled = await database.write((scope) =>
      resolveAttempt(scope, actor, attemptId, answer),
    );
    return { data: shownAttempt(settled, role) };
  },
});

/** The labels of a guide; missing ones are asked of the carrier. */
export const readLabelsOperation = defineWrite({
  ...PREPARE,
  isOpenAfterTrial: true,
  input: inputOf({ attempt_id: OF_ATTEMPT }),
  output: z.object({
    tracking: z.string().nullable(),
    zpl: z.string().nullable(),
    /** In base64. */
    pdf: z.string().nullable(),
  }),
  async run({ database, exchange, organization, signal }, { attemptId }) {
    await database.write((scope) => attemptById(scope, attemptId));
    const job = { organizationId: organization.id, attemptId };
    const { trackingNumber, zpl, pdfBase64 } = await guideLabels(exchange, job, signal);
    return { tracking: trackingNumber, zpl, pdf: pdfBase64 };
  },
});

/** Cancels a guide at the carrier; `warehouse.job` says what became of it. */
export const cancelGuideOperation = defineWrite({
  action: 'cancel_guides',
  capability: null,
  isJob: true,
  input: inputOf({ attempt_id: OF_ATTEMPT }),
  output: z.object({ job_id: z.string() }),
  async run({ database, exchange, organization, by, role }, { attemptId }) {
    const actor = actorOf({ by, role });
    const data = { organizationId: organization.id, attemptId, actor };
    return database.write(async (scope) => {
      await attemptById(scope, attemptId);
      const id = await exchange.queue.enqueue(scope.handle, cancelGuideJob, { data });
      return { job_id: String(id) };
    });
  },
});

function shownBatch(
  batch: Batch,
  role: Role,
  namesOf: (lineId: string) => Pick<z.output<typeof Outcome>, 'orders' | 'pack_id'>,
): Omit<z.output<typeof BatchShape>, 'by'> {
  const { state, results, summary } = presentBatch(batch);
  const seesMoney = may(role, 'read_money');
  return {
    requested_at: formatMillis(batch.requestedAt),
    account_id: batch.accountId,
    state: state as 'running' | 'done',
    results: results.map(({ zpl, pdf, ...result }) => {
      const seen = seesMoney ? result : withoutMoney(result);
      const names = namesOf(result.line_id);
      return { ...seen, ...names, has_zpl: zpl !== null, has_pdf: pdf !== null };
    }) as unknown as z.output<typeof Outcome>[],
    total: summary.total,
    pending: summary.pending,
    costs: seesMoney ? shownCosts(batch) : null,
  };
}

function shownCosts(batch: Batch): z.output<typeof BatchShape>['costs'] {
  const { sums, ...counts } = costsOf(batch);
  const shown = sums.map(({ currency, amount }) => ({ currency, amount: toAmount(amount) }));
  return { ...counts, sums: shown };
}
