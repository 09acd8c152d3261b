import type { TestContext } from 'node:test';
import type { TestApp } from '../../support/app.ts';

/** Until released, every query of orders waits. */
export function lockOrders(t: TestContext, at: TestApp): Promise<() => Promise<void>> {
  return lockTable(t, at, 'orders in access exclusive mode');
}

/** @param lock the table and the mode, as SQL names them */
export async function lockTable(
  t: TestContext,
  at: TestApp,
  lock: string,
): Promise<() => Promise<void>> {
  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = at.app.database.write(async (handle) => {
    await handle.sql(`lock table ${lock}`, []);
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
