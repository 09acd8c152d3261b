import { listenersWith } from '../app/services.ts';
import { planFindings } from '../exchange/connect/plan.ts';
import { linkDueCfdis, makeOlderCfdisDue } from '../features/cfdi/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import { type Order, readOrder, recordOrders, UnreadableOrder } from '../features/orders/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { type Command, type CommandContext, inContext, organizationOf } from './command.ts';
import {
  describeFaults,
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
    const report = await inContext(async (context) => {
      const { id: organizationId } = await organizationOf(context.database, id);
      const organization = context.database.within(organizationId);
      const imported = await importFile(context, organization, file);
      if (imported.changed > 0) {
        await organization.write(makeOlderCfdisDue);
        await linkDueCfdis(organization, () => LISTENERS);
        await organization.write(planFindings);
      }
      return imported;
    });
    const { read, changed, unchanged, refused, interrupted, errors } = report;
    const text = [
      `${read} leídas: ${changed} con cambios, ${unchanged} sin cambios, ${refused} rechazadas.`,
      ...describeFaults(errors, refused),
      ...(interrupted
        ? [`${numberInWords(changed + unchanged)} guardadas; repite la orden para seguir.`]
        : []),
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

async function importFile(
  { runtime }: CommandContext,
  organization: OrganizationDatabase,
  file: string,
): Promise<Report> {
  const report: Report = {
    read: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    interrupted: false,
    errors: [],
  };
  const { lines, progress } = await openLines(file, 'órdenes');
  const interruption = listenForInterruption();
  let batch: Line[] = [];
  const flush = async () => {
    await store(organization, batch, report);
    batch = [];
    progress(report.read);
  };
  let number = 0;
  for await (const line of lines) {
    number++;
    if ('text' in line && line.text.trim() === '') continue;
    report.read++;
    try {
      if ('fault' in line) throw new UnreadableOrder(line.fault);
      batch.push({ number, order: readOrder(line.text, runtime.clock.now()) });
    } catch (error) {
      if (!(error instanceof UnreadableOrder)) throw error;
      refuse(report, number, error.message);
    }
    if (batch.length === BATCH) await flush();
    report.interrupted = interruption.isAsked();
    if (report.interrupted) break;
  }
  await flush();
  interruption.over();
  return report;
}

/**
 * Ctrl+C ends the import between two batches, so that the database is consistent; a second one ends
 * it at once.
 */
function listenForInterruption(): { isAsked(): boolean; over(): void } {
  let isAsked = false;
  const onSignal = () => {
    isAsked = true;
  };
  process.once('SIGINT', onSignal);
  return { isAsked: () => isAsked, over: () => void process.off('SIGINT', onSignal) };
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
