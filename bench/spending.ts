import type { Stand } from './stand.ts';

/** Where the processor's time goes in one side of a row that runs in this process. */
interface Spending {
  /** Counts what this process, with its threads, and the database spend on so many things. */
  of<T>(things: number, work: () => Promise<T>): Promise<T>;
  /** Microseconds a thing so far. */
  typical(): { readonly own: number; readonly database: number };
}

export function openSpending({ databaseSeconds }: Pick<Stand, 'databaseSeconds'>): Spending {
  let [things, own, database] = [0, 0, 0];
  return {
    async of(count, work) {
      const [before, usage] = [await databaseSeconds(), process.cpuUsage()];
      const result = await work();
      const { user, system } = process.cpuUsage(usage);
      things += count;
      own += user + system;
      database += ((await databaseSeconds()) - before) * 1e6;
      return result;
    },
    typical: () => ({ own: Math.round(own / things), database: Math.round(database / things) }),
  };
}

/** «An order takes 400 µs of processor here (90 on the bare side) and 300 in the database (200).» */
export function spendingInWords(thing: string, ours: Spending, bare: Spending): string {
  const [here, there] = [ours.typical(), bare.typical()];
  return `${thing} takes ${here.own} µs of processor here (${there.own} on the bare side) and ${here.database} in the database (${there.database}).`;
}
