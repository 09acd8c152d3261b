import type { ServiceSlug } from '../../carriers/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { lockOrganization } from '../organizations/index.ts';
import { listConnections } from './connections.ts';
import * as store from './store.ts';

const MOST = 60;

/**
 * Gives an account the name by which the organisation's people know it. It stays when the account
 * is connected again.
 * @returns whether it had another one
 * @throws Failure invalid_request
 */
export async function giveName(scope: WriteScope, id: string, given: string): Promise<boolean> {
  const name = given.trim();
  if (name === '' || name.length > MOST || /\p{Control}/u.test(name))
    throw invalid('name', `El nombre de la cuenta debe tener de 1 a ${MOST} caracteres.`);
  // Connecting the same account at this moment waits, and keeps the name.
  await lockOrganization(scope);
  const row = await store.byId(scope, id);
  if (!row || row.name === name) return false;
  const updated_at = scope.clock.now().toString();
  await store.update(scope, id, { name, is_name_given: true, updated_at });
  return true;
}

/** What the organisation's people call an account; its id where it was never connected. */
export async function accountName(
  scope: ReadScope,
  service: ServiceSlug,
  accountId: string,
): Promise<string> {
  return (await store.byAccountHere(scope, service, accountId))?.name ?? accountId;
}

/** The names of accounts whose service has several connected ones, by the ids of connections. */
export async function namesOfSeveral(scope: ReadScope): Promise<ReadonlyMap<string, string>> {
  const connected = (await listConnections(scope)).filter(({ state }) => state !== 'disconnected');
  const several = [...Map.groupBy(connected, ({ service }) => service).values()]
    .filter(({ length }) => length > 1)
    .flat();
  return new Map(several.map(({ id, name }) => [id, name]));
}
