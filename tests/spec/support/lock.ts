import type { TestContext } from 'node:test';
import type { TestApp } from '../../support/app.ts';

/** Until released, every query of orders waits. */
export async function lockOrders(t: TestContext, at: TestApp): Promise<() => Promise<void>> {
  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = at.app.database.write(async (handle) => {
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
