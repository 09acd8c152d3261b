import { type Order, readOrder, recordOrders, UnreadableOrder } from '../features/orders/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { listenersWith } from '../wiring.ts';
import { atDesk, type Command, type Desk, organizationOf } from './command.ts';
import { NOTHING_READ, openLines } from './lines.ts';

const BATCH = 200;
const MOST_ERRORS_TOLD = 1_000;

interface Line {
  readonly number: number;
  readonly order: Order;
}

interface Report {
  read: number;
  changed: number;
  unchanged: number;
  refused: number;
  readonly errors: { line: number; message: string }[];
}

export const importOrders: Command = {
  usage: 'import-orders --organization ID ARCHIVO.ndjson',
  about: 'Importa órdenes, una por línea, con los campos de la API. ARCHIVO «-»: la entrada estándar.',
  options: ['organization'],
  required: ['organization'],
  file: true,
  async run({ organization: id, file = '-' }) {
    const report = await atDesk(async (desk) => {
      const { id: organizationId } = await organizationOf(desk.database, id);
      return importFile(desk, desk.database.within(organizationId), file);
    });
    const { read, changed, unchanged, refused, errors } = report;
    const told = errors.slice(0, 20).map(({ line, message }) => `  línea ${line}: ${message}`);
    const text = [
      `${read} leídas: ${changed} con cambios, ${unchanged} sin cambios, ${refused} rechazadas.`,
      ...told,
    ].join('\n');
    return { json: report, text, exitCode: read === refused ? NOTHING_READ : 0 };
  },
};

async function importFile(
  { surroundings }: Desk,
  organization: OrganizationDatabase,
  file: string,
): Promise<Report> {
  const report: Report = { read: 0, changed: 0, unchanged: 0, refused: 0, errors: [] };
  const { lines, progress } = await openLines(file, 'órdenes');
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
      batch.push({ number, order: readOrder(line.text, surroundings.clock.now()) });
    } catch (error) {
      if (!(error instanceof UnreadableOrder)) throw error;
      refuse(report, number, error.message);
    }
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return report;
}

/** Stores a batch; should the database refuse it, each line by itself, so that one costs no other. */
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
        listenersWith([]),
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

function refuse(report: Report, line: number, message: string): void {
  report.refused++;
  if (report.errors.length < MOST_ERRORS_TOLD) report.errors.push({ line, message });
}
