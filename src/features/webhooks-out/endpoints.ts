import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import { type Endpoint, type EndpointTerms, readTerms } from './endpoint.ts';
import { sealHeaders, sealSecret } from './sealed.ts';
import { newSecret, verifierOf } from './signing.ts';
import * as store from './store-endpoints.ts';

/** How long a former secret signs beside the new one. */
const OVERLAP_HOURS = 24;

/** An endpoint with what its customer verifies by, which is shown this once. */
interface MadeEndpoint {
  readonly id: string;
  /** `whsec_…`, or the public key `whpk_…` of an ed25519 pair. */
  readonly secret: string;
}

/**
 * Makes an endpoint.
 * @param limit most endpoints that the plan allows; 0 = it has none
 * @throws Failure plan_does_not_include_webhooks, webhook_endpoint_limit_reached, invalid_request
 */
export async function createEndpoint(
  scope: WriteScope,
  terms: EndpointTerms,
  limit: number,
): Promise<MadeEndpoint> {
  if (limit === 0) throw fail('plan_does_not_include_webhooks');
  const { headers, ...read } = readTerms(terms);
  await store.lockOrganization(scope);
  if ((await store.countOpen(scope)) >= limit) throw fail('webhook_endpoint_limit_reached');
  const id = newId();
  const secret = newSecret(read.signature);
  await store.insert(scope, {
    ...read,
    id,
    secretBox: await sealSecret(scope, id, secret),
    headersBox: await sealHeaders(scope, id, headers),
    createdAt: scope.clock.now(),
  });
  return { id, secret: verifierOf(secret) };
}

/** Oldest first. */
export function listEndpoints(scope: ReadScope): Promise<Endpoint[]> {
  return store.all(scope);
}

/** Its deliveries wait until it is enabled. @throws Failure not_found */
export async function disableEndpoint(scope: WriteScope, id: string): Promise<void> {
  await mustExist(scope, id);
  await store.disable(scope, id, 'asked', scope.clock.now());
}

/**
 * Its deliveries that wait are made, and its failures are forgotten.
 * @param limit most endpoints that the plan allows; 0 = it has none
 * @throws Failure not_found, plan_does_not_include_webhooks, webhook_endpoint_limit_reached
 */
export async function enableEndpoint(scope: WriteScope, id: string, limit: number): Promise<void> {
  if (limit === 0) throw fail('plan_does_not_include_webhooks');
  await store.lockOrganization(scope);
  const { state } = await mustExist(scope, id);
  if (state === 'enabled') return;
  const others = (await store.all(scope)).filter((one) => one.state === 'enabled');
  if (others.length >= limit) throw fail('webhook_endpoint_limit_reached');
  await store.enable(scope, id);
}

/**
 * A new secret; the former one signs beside it for a day.
 * @throws Failure not_found
 */
export async function rotateSecret(scope: WriteScope, id: string): Promise<MadeEndpoint> {
  const { signature } = await mustExist(scope, id);
  const secret = newSecret(signature);
  const until = scope.clock.now().add({ hours: OVERLAP_HOURS });
  await store.replaceSecret(scope, id, await sealSecret(scope, id, secret), until);
  return { id, secret: verifierOf(secret) };
}

/**
 * The plan changed: beyond its limit the newest are disabled, and what an earlier plan disabled is
 * enabled up to it.
 */
export async function followPlan(scope: WriteScope, limit: number): Promise<void> {
  await store.limitOpen(scope, limit, scope.clock.now());
}

/** @throws Failure not_found */
export async function mustExist(scope: ReadScope, id: string): Promise<Endpoint> {
  const found = (await store.all(scope)).find((endpoint) => endpoint.id === id);
  if (found) return found;
  throw fail('not_found', { message: 'No existe un endpoint con ese identificador.' });
}
