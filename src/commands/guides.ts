import { acceptGuides } from '../exchange/guides/generate-guides.ts';
import type { AttemptJob } from '../exchange/guides/made-guide.ts';
import { cancelGuideJob } from '../exchange/jobs/cancel-guide.ts';
import { guidesJob } from '../exchange/jobs/guides.ts';
import { inTransitJob } from '../exchange/jobs/in-transit.ts';
import { labelsJob } from '../exchange/jobs/labels.ts';
import {
  attemptById,
  batchById,
  lineById,
  presentAttempt,
  presentBatch,
  resolveAttempt,
} from '../features/warehouse/index.ts';
import { newId } from '../platform/ids.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  inContext,
  organizationOf,
} from './command.ts';
import { handOver } from './hand-over.ts';
import { idOf, jsonOf, oneLine, operator } from './warehouse.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  generated: 'guía generada',
  already_generated: 'ya tenía guía',
  blocked: 'bloqueada',
  failed: 'falló',
  unknown: 'sin respuesta',
};

const LABEL_NOT_KEPT =
  'Los datos de este comprador se borraron, así que su etiqueta no se guarda. Descárgala desde el panel.';

export const generateGuidesCommand: Command = {
  usage:
    'generate-guides --organization ID --lines ID,ID [--account CUENTA] [--overrides ARCHIVO.json] [--idempotency-key CLAVE]',
  about:
    'Genera las guías de 1 a 50 líneas y espera el resultado de cada una. La misma CLAVE nunca las pide dos veces. CUENTA: con cuál de las cuentas de la paquetería.',
  options: ['organization', 'lines', 'account', 'overrides', 'idempotency-key'],
  required: ['organization', 'lines'],
  async run(args) {
    const { organization, lines = '', account, overrides: file } = args;
    const idempotencyKey = args['idempotency-key'] ?? newId();
    const overrides = file === undefined ? {} : await jsonOf(file, 'overrides');
    const lineIds = lines.split(',').map((id) => id.trim());
    const batch = await inContext(async (context) => {
      const { id: organizationId } = await organizationOf(context.database, organization);
      const scoped = context.database.within(organizationId);
      const request = { lineIds, overrides, accountId: account ?? null, idempotencyKey };
      const { batchId, isFinished } = await scoped.write((scope) =>
        acceptGuides(scope, operator(), request),
      );
      if (!isFinished) await handOver(context, guidesJob, { organizationId, batchId });
      return scoped.read((scope) => batchById(scope, batchId));
    });
    const json = presentBatch(batch);
    const { generated, already_generated, total } = json.summary;
    return {
      json,
      text: json.results.map(sentence).join('\n'),
      exitCode: generated + already_generated === total ? 0 : 1,
    };
  },
};

export const settleAttemptCommand: Command = {
  usage: 'settle-attempt --organization ID --attempt ID --tracking NÚMERO|ninguno [--guide NÚMERO]',
  about:
    'Resuelve un intento sin respuesta: anota el rastreo que tiene la paquetería, o confirma que no hay guía.',
  options: ['organization', 'attempt', 'tracking', 'guide'],
  required: ['organization', 'attempt', 'tracking'],
  async run(args) {
    const { tracking = '', guide } = args;
    const answer =
      tracking === 'ninguno'
        ? ({ exists: false } as const)
        : ({ exists: true, trackingNumber: tracking, guideNumber: guide ?? null } as const);
    return atAttempt(args, async (context, { organizationId, attemptId, actor }) => {
      await context.database
        .within(organizationId)
        .write((scope) => resolveAttempt(scope, actor, attemptId, answer));
    });
  },
};

export const cancelGuideCommand: Command = {
  usage: 'cancel-guide --organization ID --attempt ID',
  about: 'Cancela una guía que la paquetería no ha recogido.',
  options: ['organization', 'attempt'],
  required: ['organization', 'attempt'],
  run: (args) =>
    atAttempt(args, async (context, job) => {
      await handOver(context, cancelGuideJob, job);
    }),
};

export const guideLabelsCommand: Command = {
  usage: 'guide-labels --organization ID --attempt ID',
  about:
    'Muestra las etiquetas de una guía para volver a imprimirlas; con --json también el PDF en base64.',
  options: ['organization', 'attempt'],
  required: ['organization', 'attempt'],
  run: (args) =>
    inContext(async (context) => {
      const job = await jobOf(context, args);
      await handOver(context, labelsJob, job);
      const { attempt, line } = await context.database
        .within(job.organizationId)
        .read(async (scope) => {
          const read = await attemptById(scope, job.attemptId);
          return { attempt: read, line: await lineById(scope, read.lineId) };
        });
      const { zpl, pdfBase64, trackingNumber } = attempt;
      return {
        json: { attempt_id: job.attemptId, tracking: trackingNumber, zpl, pdf: pdfBase64 },
        text:
          zpl ?? (line.isBuyerForgotten ? LABEL_NOT_KEPT : 'La paquetería no dio la etiqueta ZPL.'),
      };
    }),
};

export const setInTransitCommand: Command = {
  usage: 'set-in-transit --organization ID --line ID [--account CUENTA]',
  about:
    'Marca «En camino» en la paquetería una línea de flota propia, y lo comprueba. No la pasa a envíos. CUENTA: en cuál de tus cuentas de ella, si hay varias.',
  options: ['organization', 'line', 'account'],
  required: ['organization', 'line'],
  run: (args) =>
    inContext(async (context) => {
      const lineId = idOf(args, 'line');
      const { id: organizationId } = await organizationOf(context.database, args.organization);
      const accountId = args.account ?? null;
      const job = { organizationId, lineId, actor: operator(), accountId };
      const { was_set } = await handOver(context, inTransitJob, job);
      const { json, text } = await context.database
        .within(organizationId)
        .read(async (scope) => oneLine(scope, await lineById(scope, lineId)));
      return { json: { ...json, was_set }, text: was_set ? text : `${text} · ya estaba en camino` };
    }),
};

function sentence({
  line_id,
  outcome,
  tracking,
  guide,
  error,
}: ReturnType<typeof presentBatch>['results'][0]) {
  const what = error?.message ?? [tracking, guide].filter((number) => number !== null).join(' · ');
  return `${line_id}: ${OUTCOMES[outcome ?? ''] ?? 'pendiente'} · ${what}`;
}

/** Works on an attempt and shows its new status. */
async function atAttempt(
  args: Arguments,
  work: (context: CommandContext, job: AttemptJob) => Promise<void>,
) {
  return inContext(async (context) => {
    const job = await jobOf(context, args);
    await work(context, job);
    const attempt = await context.database
      .within(job.organizationId)
      .read((scope) => attemptById(scope, job.attemptId));
    const json = presentAttempt(attempt);
    const how = json.cancelled_at === null ? json.state : 'cancelada';
    return { json, text: `Intento ${json.attempt_id}: ${how} ${json.tracking ?? ''}`.trimEnd() };
  });
}

async function jobOf(context: CommandContext, args: Arguments): Promise<AttemptJob> {
  const attemptId = idOf(args, 'attempt');
  const { id: organizationId } = await organizationOf(context.database, args.organization);
  return { organizationId, attemptId, actor: operator() };
}
