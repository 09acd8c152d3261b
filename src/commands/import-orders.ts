import { listenersWith } from '../app/services.ts';
import { onStopSignal } from '../app/stop-signals.ts';
import { planFindings } from '../exchange/connect/plan.ts';
import { linkDueCfdis, makeOlderCfdisDue } from '../features/cfdi/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import { type Order, readOrder, recordOrders, UnreadableOrder } from '../features/orders/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import type { Instant } from '../platform/time.ts';
import { type Command, type CommandContext, inContext, organizationOf } from './command.ts';
import {
  describeFaults,
  type FileLine,
  NOTHING_READ,
  numberInWords,
  openLines,
  type Refusals,
  refuse,
} from './lines.ts';

const BATCH = 200;
const LISTENERS = listenersWith([announceOrders]);
/** As a shell reports a program that Ctrl+C ended. */
const INTERRUPTED = 130;
const GO_ON = 'Para continuar, repite el comando; lo que ya está guardado no se duplica.';

interface Line {
  readonly number: number;
  readonly order: Order;
}

interface Report extends Refusals {
  read: number;
  changed: number;
  unchanged: number;
  /** Whether Ctrl+C ended it before the last line. */
  interrupted: boolean;
}

export const importOrders: Command = {
  usage: 'import-orders --organization ID ARCHIVO.ndjson',
  about:
    'Importa órdenes, una por línea, con los campos de la API. ARCHIVO «-»: la entrada estándar.',
  options: ['organization'],
  required: ['organization'],
  file: 'one',
  async run({ organization: id }, [file = '-']) {
    const interruption = new AbortController();
    const report = await inContext(async (context) => {
      const { id: organizationId } = await organizationOf(context.database, id);
      const organization = context.database.within(organizationId);
      // Ctrl+C ends the import between two batches, so that the database is consistent.
      const unlisten = onStopSignal(['SIGINT'], () => interruption.abort());
      try {
        const imported = await importFile(context, organization, file, interruption.signal);
        if (!interruption.signal.aborted) unlisten();
        await followImport(organization, imported);
        return imported;
      } finally {
        unlisten();
      }
    });
    const { read, changed, unchanged, refused, interrupted, errors } = report;
    const text = [
      `${read} leídas: ${changed} con cambios, ${unchanged} sin cambios, ${refused} rechazadas.`,
      ...describeFaults(errors, refused),
      ...(interrupted ? [interruptedSentence(changed + unchanged)] : []),
    ].join('\n');
    const { interrupted: _, ...counts } = report;
    const json = interrupted ? report : counts;
    return {
      json,
      text,
      exitCode: interrupted ? INTERRUPTED : read === refused ? NOTHING_READ : 0,
    };
  },
};

function interruptedSentence(stored: number): string {
  return `Importación detenida: ${numberInWords(stored)} órdenes guardadas. ${GO_ON}`;
}

/**
 * What follows from stored orders. Also where none changed: a former import may have been cut off
 * before this.
 */
async function followImport(
  organization: OrganizationDatabase,
  { changed, unchanged, interrupted }: Report,
): Promise<void> {
  if (changed + unchanged === 0) return;
  await organization.write(makeOlderCfdisDue);
  // It may take long; the service links them, too.
  if (!interrupted) await linkDueCfdis(organization, () => LISTENERS);
  await organization.write(planFindings);
}

async function importFile(
  { runtime }: CommandContext,
  organization: OrganizationDatabase,
  file: string,
  signal: AbortSignal,
): Promise<Report> {
  const report: Report = {
    read: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    interrupted: false,
    errors: [],
  };
  const { lines, progress, leaveBar } = await openLines(file, 'órdenes', signal);
  let batch: Line[] = [];
  const flush = async () => {
    await store(organization, batch, report);
    batch = [];
    progress(report.read);
  };
  let number = 0;
  for await (const line of lines) {
    if (signal.aborted) break;
    number++;
    if ('text' in line && line.text.trim() === '') continue;
    report.read++;
    const order = orderOf(line, runtime.clock.now());
    if (typeof order === 'string') refuse(report, number, order);
    else batch.push({ number, order });
    if (batch.length === BATCH) await flush();
  }
  report.interrupted = signal.aborted;
  await flush();
  if (report.interrupted) leaveBar();
  return report;
}

/** The order of a line; a sentence where it has none. */
function orderOf(line: FileLine, now: Instant): Order | string {
  if ('fault' in line) return line.fault;
  try {
    return readOrder(line.text, now);
  } catch (error) {
    if (!(error instanceof UnreadableOrder)) throw error;
    return error.message;
  }
}

/**
 * Stores a batch. If the database refuses it, stores each line by itself, so that one fault costs
 * one line.
 */
async function store(
  organization: OrganizationDatabase,
  batch: readonly Line[],
  report: Report,
): Promise<void> {
  if (batch.length === 0) return;
  try {
    const { changed, unchanged } = await organization.write((scope) =>
      recordOrders(
        scope,
        batch.map(({ order }) => order),
        LISTENERS,
      ),
    );
    report.changed += changed;
    report.unchanged += unchanged;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const [only, ...others] = batch;
    if (only && others.length === 0)
      return refuse(report, only.number, 'La base de datos no pudo guardar esta orden.');
    for (const line of batch) await store(organization, [line], report);
  }
}
