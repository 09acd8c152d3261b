import type { App } from '../app/app.ts';
import { findService } from '../carriers/registry.ts';
import { UpstreamError } from '../connectors/upstream-error.ts';
import { runStream } from '../exchange/sync/run-stream.ts';
import { listBalances, setFloor } from '../features/balances/index.ts';
import {
  connectionById,
  listConnections,
  type SealedConnection,
} from '../features/connections/index.ts';
import type { Organization } from '../features/organizations/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { decimal } from '../platform/money.ts';
import type { SimulatedShop } from './simulators.ts';
import { connectStale } from './stale-store.ts';

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
