/**
 * A process that records orders through the product's own writer: transactions begin early and
 * commit late, some are rolled back, its clock is wrong. Says each change once it is committed.
 * Ends with its input.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderStatus } from '../../../src/connectors/contract.ts';
import { type OrderListener, recordOrders } from '../../../src/features/orders/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type Database, openDatabase, type WriteScope } from '../../../src/platform/db/database.ts';
import { epochMicros } from '../../../src/platform/time.ts';
import { shiftedClock } from '../../support/clock.ts';
import { type Dice, diceOf } from './dice.ts';
import { reportedOrder, versionOf } from './orders.ts';

/** The messages to a writer. */
export interface WriterTask {
  readonly databaseUrl: string;
  readonly seed: number;
  readonly connections: number;
  /** The first one is the hot one: it gets half of everything. */
  readonly organizations: readonly string[];
  /** Its clock differs from the others' by so much. */
  readonly clockOffsetMilliseconds: number;
  /** Milliseconds that a transaction may dawdle before it writes, and before it commits. */
  readonly dawdle: number;
}

/** One committed transaction, as a line of JSON. */
export interface Acknowledged {
  readonly organizationId: string;
  /**
   * Monotonic milliseconds of the machine: before the transaction began, and after it was
   * committed.
   */
  readonly begun: number;
  readonly committed: number;
  readonly changes: readonly AcknowledgedChange[];
}

interface AcknowledgedChange {
  readonly id: string;
  /** Microseconds. */
  readonly lastUpdated: number;
  /** The source's change time, in microseconds; also in the order's SKU. */
  readonly version: number;
}

const STATUSES: readonly OrderStatus[] = [
  'pending',
  'paid',
  'ready_to_ship',
  'shipped',
  'delivered',
];
const LARGEST_BATCH = 8;
/** Updates go to a few orders, so that writers meet. */
const CROWDED = 25;
class RolledBack extends Error {}

/** Comparable between processes of one machine. */
export function machineMilliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

async function main(task: WriterTask): Promise<void> {
  const clock = shiftedClock(systemClock, () => ({ milliseconds: task.clockOffsetMilliseconds }));
  const database = openDatabase({
    address: { url: task.databaseUrl },
    clock,
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  let goesOn = true;
  process.stdin.resume().once('end', () => {
    goesOn = false;
  });
  await Promise.all(
    Array.from({ length: task.connections }, async (_, connection) => {
      const dice = diceOf(task.seed * 100 + connection);
      let written = 0;
      while (goesOn)
        written = await writeOnce(database, task, dice, `${task.seed}-${connection}`, written);
    }),
  );
  await database.close();
}

async function writeOnce(
  database: Database,
  task: WriterTask,
  dice: Dice,
  writer: string,
  written: number,
): Promise<number> {
  const isHot = dice.chance(0.5);
  const organizationId = isHot ? task.organizations[0] : dice.pick(task.organizations);
  const count = 1 + dice.below(LARGEST_BATCH);
  const ids = Array.from({ length: count }, (_, index) =>
    dice.chance(0.3) ? `${writer}-${written + index}` : `crowd-${dice.below(CROWDED)}`,
  );
  const rollsBack = dice.chance(0.1);
  const begun = machineMilliseconds();
  let changes: AcknowledgedChange[] = [];
  const collect: OrderListener = async (_scope, changed) => {
    changes = changed.map(({ after, lastUpdated }) => ({
      id: after.id,
      lastUpdated: epochMicros(lastUpdated),
      version: versionOf(after),
    }));
  };
  const work = async (scope: WriteScope) => {
    changes = [];
    // The order is read from its source here, and written later.
    const orders = ids.map((id) => drawOrder(dice, id));
    if (dice.chance(0.3)) await sleep(dice.below(task.dawdle));
    await recordOrders(scope, orders, [collect]);
    if (dice.chance(0.1)) await sleep(dice.below(task.dawdle));
    if (rollsBack) throw new RolledBack();
  };
  try {
    await database.within(organizationId as string).write(work);
    const line: Acknowledged = {
      organizationId: organizationId as string,
      begun,
      committed: machineMilliseconds(),
      changes,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return written + count;
}

/** Some have an older state than what another writer may have recorded already. */
function drawOrder(dice: Dice, id: string) {
  const staleness = dice.chance(0.15) ? dice.below(200_000) : 0;
  const version = Math.floor(machineMilliseconds() * 1_000) - staleness;
  return reportedOrder({ id, status: dice.pick(STATUSES), version });
}

if (import.meta.main) await main(JSON.parse(process.argv[2] as string) as WriterTask);
