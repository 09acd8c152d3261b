import { SaxesParser } from 'saxes';
import { configOf } from '../../src/environment.ts';
import { keepUpload, reading, readUpload } from '../../src/features/cfdi/index.ts';
import { packFile } from '../../src/features/cfdi/upload/files.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { drawnFiles } from '../../tests/support/tax-documents/drawn.ts';
import { at } from '../data.ts';
import { openSpending, spendingInWords } from '../spending.ts';
import { type Finding, median, ratiosOf, type Stand } from '../stand.ts';

const FILES = 2_000;
const NAME = 'La que recibe';
const TABLES = [
  'cfdi_relations',
  'cfdis',
  'cfdi_upload_files',
  'cfdi_uploads',
  'fiscal_profiles',
  'events',
  'data_keys',
  'delta_clocks',
];
const BAR = 0.4;

/**
 * P13: the files of an upload, read and stored as the job does it, beside a parser that goes
 * through the same bytes and keeps nothing.
 */
export async function cfdis(stand: Stand): Promise<Finding[]> {
  const database = openDatabase({
    address: { url: stand.set.url },
    clock: systemClock,
    keyring: configOf({ MASTER_KEY: stand.set.masterKey }).secrets.keyring,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  try {
    return [await readAndStored(database, stand)];
  } finally {
    await database.close();
    await removeReceivers(stand.set.url);
  }
}

async function removeReceivers(url: string): Promise<void> {
  await at(url, async (client) => {
    for (const table of TABLES)
      await client.query(
        `delete from ${table} where organization_id in (select id from organizations where name = $1)`,
        [NAME],
      );
    await client.query('delete from organizations where name = $1', [NAME]);
  });
}

async function readAndStored(database: Database, stand: Stand): Promise<Finding> {
  const { id } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: NAME, plan: 'experto' }),
  );
  const organization = database.within(id);
  const series = newId();
  let [round, bytes] = [0, 0];
  let files: readonly Buffer[] = [];
  const next = () => {
    files = drawnFiles(`${series} ${round}`, FILES);
    bytes = files.reduce((sum, { length }) => sum + length, 0);
    round += 1;
  };
  const [ours, bare] = [openSpending(stand), openSpending(stand)];
  const store = async () => {
    const packed = files.map((file, place) => packFile(`${place}.xml`, file));
    const upload = await organization.write((scope) => keepUpload(scope, packed));
    return ours.of(FILES, () =>
      perSecond(() => reading((reader) => readUpload(organization, reader, upload, []))),
    );
  };
  const parse = () => bare.of(FILES, () => perSecond(async () => files.forEach(parseAlone)));
  // Each round has files of its own: a known folio is not stored again.
  const figures = { stored: [] as number[], parsed: [] as number[] };
  for (let turn = 0; turn <= stand.rounds; turn++) {
    next();
    const sides = turn % 2 === 0 ? [store, parse] : [parse, store];
    const [first, second] = [await sides[0]?.(), await sides[1]?.()];
    // The first round only warms up.
    if (turn === 0) continue;
    figures.stored.push((turn % 2 === 0 ? first : second) ?? 0);
    figures.parsed.push((turn % 2 === 0 ? second : first) ?? 0);
  }
  const ratios = ratiosOf(figures.stored, figures.parsed);
  return {
    row: 'P13',
    what: 'CFDI of an upload, read and stored',
    figure: `${Math.round(median(figures.stored))}/s beside ${Math.round(median(figures.parsed))}/s only parsed`,
    ratios,
    bar: `≥ ${BAR}`,
    passes: median(ratios) >= BAR,
    limit: `Files of ${Math.round(bytes / FILES / 1_000)} kB are unpacked, read in a thread, sealed twice and stored with their relations. ${spendingInWords('One', ours, bare)}`,
  };
}

function parseAlone(file: Buffer): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('opentag', () => undefined);
  parser.write(file.toString());
  parser.close();
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (FILES * 1_000) / (performance.now() - began);
}
