import type { App } from '../app/app.ts';
import { consequenceOf } from '../exchange/wire/consequences.ts';
import { recordRefusal } from '../exchange/wire/refused-access.ts';
import { beginStream, finishRun, noteRun, saveConnection } from '../features/connections/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import type { Instant } from '../platform/time.ts';
import type { SimulatedShop } from './simulators.ts';

const OUTLET = { accountId: '990001', name: 'Outlet de la demostración' };
const STALE_HOURS = 50;

/** A second store that was read two days ago, and has refused the access since. */
export async function connectStale(
  scope: WriteScope,
  keyring: App['exchange']['keyring'],
  { service, credentials }: SimulatedShop,
): Promise<void> {
  const id = await saveConnection(scope, keyring, {
    service,
    ...OUTLET,
    baseUrl: null,
    credentials: revoked(credentials),
    credentialsExpireAt: null,
  });
  const now = scope.clock.now();
  const readAt = now.subtract({ hours: STALE_HOURS });
  await beginStream(at(scope, readAt), id, 'orders', { from: null, to: readAt });
  await noteRun(at(scope, readAt), id, 'orders', { outcome: 'done', reason: null });
  await finishRun(at(scope, readAt), id, 'orders', readAt, readAt);
  const { message } = consequenceOf('unauthorized', service);
  for (const hours of [2, 1]) {
    const then = at(scope, now.subtract({ hours }));
    await noteRun(then, id, 'orders', { outcome: 'stopped', reason: message });
    await recordRefusal(then, { id, service }, 'access');
  }
}

const SECRET = /key|secret|token/;
const STORE = 'store_id';

/** The credentials of the second store, whose secrets the service refuses. */
function revoked(credentials: unknown): object {
  const pairs = Object.entries(credentials as object);
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      if (name === STORE) return [name, Number(OUTLET.accountId)];
      return [name, SECRET.test(name) ? `${value}x` : value];
    }),
  );
}

/** The same transaction as of another moment. */
function at(scope: WriteScope, now: Instant): WriteScope {
  return { ...scope, clock: { ...scope.clock, now: () => now } };
}
