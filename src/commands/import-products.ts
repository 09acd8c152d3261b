import {
  type Goods,
  readGoods,
  recordEquivalences,
  recordProducts,
  tableOfGoods,
  UnreadableGoods,
} from '../features/warehouse/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import {
  describeFaults,
  type FileLine,
  NOTHING_READ,
  openLines,
  type Refusals,
  refuse,
} from './lines.ts';

const BATCH = 500;

interface Report extends Refusals {
  read: number;
  products: number;
  equivalences: number;
  unchanged: number;
}

export const importProducts: Command = {
  usage: 'import-products --organization ID ARCHIVO.csv|ARCHIVO.ndjson',
  about:
    'Importa pesos y medidas, y qué SKU propio es cada código de un marketplace. Cada línea sustituye a la anterior.',
  options: ['organization'],
  required: ['organization'],
  file: 'one',
  async run({ organization: id }, [file = '-']) {
    const report = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, id);
      return importFile(database.within(organizationId), file);
    });
    const { read, products, equivalences, unchanged, refused, errors } = report;
    const text = [
      `${read} leídas: ${products} productos y ${equivalences} equivalencias con cambios, ${unchanged} sin cambios, ${refused} rechazadas.`,
      ...describeFaults(errors, refused),
    ].join('\n');
    return { json: report, text, exitCode: read === refused ? NOTHING_READ : 0 };
  },
};

async function importFile(organization: OrganizationDatabase, file: string): Promise<Report> {
  const report: Report = {
    read: 0,
    products: 0,
    equivalences: 0,
    unchanged: 0,
    refused: 0,
    errors: [],
  };
  const { lines, progress } = await openLines(file, 'líneas');
  // The first line of a table names its columns.
  const source: Source = { read: /\.csv$/i.test(file) ? null : readGoods };
  let batch: Goods[] = [];
  const flush = async () => {
    await store(organization, batch, report);
    batch = [];
    progress(report.read);
  };
  let number = 0;
  for await (const line of lines) {
    number++;
    if (isBlank(line)) continue;
    const isHeader = source.read === null;
    if (!isHeader) report.read++;
    const goods = goodsOf(source, line);
    if (typeof goods === 'string') {
      refuse(report, number, goods);
      // A table cannot be read without its columns.
      if (isHeader) return { ...report, read: 1 };
    } else if (goods) batch.push(goods);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return report;
}

function isBlank(line: FileLine): boolean {
  return 'text' in line && line.text.trim() === '';
}

interface Source {
  /** Reads a line; null until the columns of a table are known. */
  read: ReturnType<typeof tableOfGoods> | null;
}

/** The goods of a line; null for a table's header; a sentence where the line cannot be read. */
function goodsOf(source: Source, line: FileLine): Goods | string | null {
  if ('fault' in line) return line.fault;
  try {
    if (source.read) return source.read(line.text);
    source.read = tableOfGoods(line.text);
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableGoods)) throw error;
    return error.message;
  }
}

async function store(
  organization: OrganizationDatabase,
  batch: readonly Goods[],
  report: Report,
): Promise<void> {
  if (batch.length === 0) return;
  const products = batch.flatMap((goods) => (goods.kind === 'product' ? [goods.product] : []));
  const equivalences = batch.flatMap((goods) =>
    goods.kind === 'equivalence' ? [goods.equivalence] : [],
  );
  const changed = await organization.write(async (scope) => ({
    products: await recordProducts(scope, products),
    equivalences: await recordEquivalences(scope, equivalences),
  }));
  report.products += changed.products;
  report.equivalences += changed.equivalences;
  report.unchanged += batch.length - changed.products - changed.equivalences;
}
