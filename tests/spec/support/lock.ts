import type { TestContext } from 'node:test';
import type { TestHouse } from '../../support/house.ts';

/** Until released, every query of orders waits. */
export async function lockOrders(t: TestContext, at: TestHouse): Promise<() => Promise<void>> {
  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = at.house.database.write(async (handle) => {
    await handle.sql('lock table orders in access exclusive mode', []);
    taken.resolve();
    await held.promise;
  });
  const release = async () => {
    held.resolve();
    await work;
  };
  t.after(release);
  await taken.promise;
  return release;
}
