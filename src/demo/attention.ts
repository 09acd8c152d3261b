import type { App } from '../app/app.ts';
import { findService } from '../carriers/registry.ts';
import { UpstreamError } from '../connectors/upstream-error.ts';
import { runStream } from '../exchange/sync/run-stream.ts';
import { consequenceOf } from '../exchange/wire/consequences.ts';
import { recordRefusal } from '../exchange/wire/refused-access.ts';
import { listBalances, setFloor } from '../features/balances/index.ts';
import {
  beginStream,
  connectionById,
  finishRun,
  listConnections,
  noteRun,
  type SealedConnection,
  saveConnection,
} from '../features/connections/index.ts';
import type { Organization } from '../features/organizations/index.ts';
import type { ReadScope, WriteScope } from '../platform/db/database.ts';
import { decimal } from '../platform/money.ts';
import type { Instant } from '../platform/time.ts';
import type { SimulatedShop } from './simulators.ts';

const OUTLET = { accountId: '990001', name: 'Outlet de la demostración' };
const STALE_HOURS = 50;
/** The simulated prepaid account has less. */
const LEAST = decimal('5000');
/** That of an account with a single purse. */
const UNREAD_PURSE = { purse: '', currency: 'MXN' };

/**
 * What a seller meets on some day: an account whose access ended, and a balance that runs low.
 * @param store of which a second account is connected; null = of none
 * @param onUnread called where the balance could not be read now; the app reads it again by itself,
 * and raises the alert then
 */
export async function prepareTroubles(
  { database, exchange }: Pick<App, 'database' | 'exchange'>,
  { id }: Pick<Organization, 'id'>,
  store: SimulatedShop | null,
  onUnread: () => void,
): Promise<void> {
  const organization = database.within(id);
  if (store) await organization.write((scope) => connectStale(scope, exchange.keyring, store));
  const prepaid = await organization.read(prepaidConnection);
  if (!prepaid) return;
  const reading = runStream(exchange, prepaid, 'balances', { reconcile: false, ifRunning: 'wait' });
  const isRead = await reading.then(() => true, notRead);
  await organization.write(async (scope) => {
    const { service, accountId } = prepaid;
    const { balances } = await listBalances(scope);
    const balance = balances.find((one) => one.service === service);
    await setFloor(scope, balance ?? { service, accountId, ...UNREAD_PURSE }, LEAST);
  });
  if (!isRead) onUnread();
}

/** A carrier's account that is paid in advance; also one that did not answer after it was connected. */
async function prepaidConnection(scope: ReadScope): Promise<SealedConnection | null> {
  const found = (await listConnections(scope)).find(({ service }) => {
    const { orders, balances } = findService(service) ?? {};
    return !orders && balances;
  });
  return found ? connectionById(scope, found.id) : null;
}

function notRead(error: unknown): false {
  if (error instanceof UpstreamError) return false;
  throw error;
}

/** A second store that was read two days ago, and has refused the access since. */
async function connectStale(
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
