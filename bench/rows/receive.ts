import { setTimeout as sleep } from 'node:timers/promises';
import { readShipment } from '../../src/carriers/paquetexpress/wire.ts';
import { configOf } from '../../src/environment.ts';
import { addressSecretOf } from '../../src/features/connections/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { recordTraced } from '../../src/features/shipments/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { loadBeside } from '../beside.ts';
import { at } from '../data.ts';
import { openLine, post } from '../load.ts';
import { type Finding, median, type Stand } from '../stand.ts';

const CONNECTIONS = 16;
const PARCELS = 5_000;
const CODES = ['HCA', 'TRN', 'EAD', 'HTC', 'HDR'];
const PER_SECOND = 200;
const MOST_P99_MS = 100;
const NAME = 'La que recibe avisos';

/**
 * P6: a carrier's events, each on disk with its receipt and what follows from it before its 200.
 */
export async function receive(stand: Stand): Promise<Finding[]> {
  const database = openDatabase({
    address: { url: stand.set.url },
    clock: systemClock,
    keyring: configOf({ MASTER_KEY: stand.set.masterKey }).secrets.keyring,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  try {
    const address = await openAddress(stand, database);
    const peer = await stand.peer('commit');
    const events = drawEvents();
    const beside = await loadBeside(stand, peer, {
      instance: () => post(address, events()),
      peer: () => post('/', events()),
      connections: CONNECTIONS,
    });
    const p99s = [
      await paced(stand.instance.port, () => post(address, events()), stand.turnMilliseconds),
    ];
    const slowest = Math.round(Math.max(...p99s));
    return [
      {
        row: 'P6',
        what: `a carrier’s events, each committed before its 200, ${CONNECTIONS} connections`,
        figure: beside.figure,
        ratios: beside.ratios,
        bar: '≥ 0.60',
        passes: median(beside.ratios) >= 0.6,
        limit: `The instance also joins the parcel, keeps a receipt, and works off what follows beside it. ${beside.spending}`,
      },
      {
        row: 'P6',
        what: `99 of 100 events at ${PER_SECOND} a second are answered within`,
        figure: `${slowest} ms`,
        ratios: p99s.map((milliseconds) => milliseconds / MOST_P99_MS),
        bar: `≤ 1.00 of ${MOST_P99_MS} ms`,
        passes: slowest <= MOST_P99_MS,
        limit: 'Sent at their times, whether the ones before were answered or not.',
      },
    ];
  } finally {
    // What still follows from this flood would be worked off beside the next row.
    await at(stand.set.url, (client) => client.query('delete from shipments_to_settle'));
    await database.close();
  }
}

/** An organisation's own address, whose parcels are known. @returns path and query */
export async function openAddress(
  { set }: Pick<Stand, 'set'>,
  database: Database,
): Promise<string> {
  const keyring = { current: Buffer.from(set.masterKey, 'base64'), previous: null };
  const { id, publicId } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: NAME, plan: 'experto' }),
  );
  const source = { carrier: 'paquetexpress', accountId: 'BENCH', connectionId: newId() } as const;
  const shipments = Array.from({ length: PARCELS }, (_, number) =>
    readShipment({ rastreo: trackingOf(number) }, { fetchedAt: systemClock.now(), history: [] }),
  );
  return database.within(id).write(async (scope) => {
    await recordTraced(scope, source, shipments, { announce: false, listeners: [] });
    const secret = await addressSecretOf(scope, keyring, 'paquetexpress');
    return `/webhooks/paquetexpress/${publicId}?secret=${secret}`;
  });
}

function trackingOf(number: number): string {
  return `8229${String(number).padStart(9, '0')}`;
}

/** Each event is new: an instant of its own. */
export function drawEvents(): () => string {
  let number = Date.now() - 3_000_000;
  return () => {
    number++;
    return JSON.stringify({
      rastreo: trackingOf(number % PARCELS),
      eventoId: CODES[number % CODES.length],
      eventoDescripcion: 'Mercancía en movimiento',
      ciudadEvento: 'Zapopan, Jalisco, Mexico',
      fechahora: number,
    });
  };
}

/**
 * @returns the milliseconds within which 99 of 100 were answered, from the time at which each was
 * due
 */
async function paced(port: number, next: () => Buffer, milliseconds: number): Promise<number> {
  const free = Array.from({ length: 64 }, () => openLine(port));
  const lines = [...free];
  const took: number[] = [];
  const asked: Promise<void>[] = [];
  const began = performance.now();
  for (let number = 0; number < (milliseconds * PER_SECOND) / 1000; number++) {
    const due = began + (number * 1000) / PER_SECOND;
    await sleep(Math.max(0, due - performance.now()));
    const line = free.pop();
    if (!line) throw new Error('more than 64 wait for their answers');
    asked.push(
      line.ask(next()).then(() => {
        took.push(performance.now() - due);
        free.push(line);
      }),
    );
  }
  await Promise.all(asked);
  for (const line of lines) line.close();
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] as number;
}
