import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId, newId } from '../../platform/ids.ts';
import { SealError } from '../../platform/seal.ts';
import { resolveAlert } from '../alerts/index.ts';
import { type Act, type Doer, noteAct } from '../trail/index.ts';
import { emitTest } from './emit.ts';
import { type Endpoint, type EndpointTerms, readTerms } from './endpoint.ts';
import { openBoxes, sealHeaders, sealSecret } from './sealed.ts';
import { newSecret, verifierOf } from './signing.ts';
import * as store from './store-endpoints.ts';

/** How long a former secret signs beside the new one. */
const OVERLAP_HOURS = 24;
/** Of an organisation, in any state: a list of them has no pages. */
const MOST_STORED = 200;
const TOO_MANY = `Tu organización tiene ${MOST_STORED} endpoints, el máximo. Elimina alguno para crear otro.`;
const OTHER_SERVER =
  'La dirección es de otro servidor. Por seguridad, indica de nuevo los encabezados o quítalos.';
/** Alerts about an endpoint; their subject is its id. */
export const ENDPOINT_ALERTS = {
  /** Its secret does not open. */
  unreadable: 'webhook_secret_unreadable',
  disabled: 'webhook_endpoint_disabled',
  /** An event was given up. */
  exhausted: 'webhook_event_exhausted',
} as const;

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
  by: Doer,
  terms: EndpointTerms,
  limit: number,
): Promise<MadeEndpoint> {
  if (limit === 0) throw fail('plan_does_not_include_webhooks');
  const { headers, ...read } = readTerms(terms);
  await store.lockOrganization(scope);
  const { stored, enabled } = await store.count(scope);
  if (stored >= MOST_STORED) throw fail('webhook_endpoint_limit_reached', { message: TOO_MANY });
  if (enabled >= limit) throw fail('webhook_endpoint_limit_reached');
  const id = newId();
  const secret = newSecret(read.signature);
  await store.insert(scope, {
    ...read,
    id,
    secretBox: await sealSecret(scope, id, secret),
    headersBox: await sealHeaders(scope, id, headers),
    createdAt: scope.clock.now(),
  });
  await note(scope, by, 'webhook_endpoint_made', { id, url: read.url });
  return { id, secret: verifierOf(secret) };
}

/** What may be changed of an endpoint; absent = as it is. */
type EndpointChange = Omit<EndpointTerms, 'url' | 'signature' | 'isOperatorTrusted'> & {
  readonly url?: string | undefined;
};

/**
 * Its headers may hold a secret of the server that it was made for, and do not follow it to another.
 * @throws Failure not_found, invalid_request
 */
export async function changeEndpoint(
  scope: WriteScope,
  by: Doer,
  id: string,
  change: EndpointChange,
): Promise<void> {
  await store.lockOrganization(scope);
  const former = await getEndpoint(scope, id);
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  // Another address is not the one that the operator trusted.
  const isOperatorTrusted = former.isOperatorTrusted && (change.url ?? former.url) === former.url;
  const terms = { ...former, ...Object.fromEntries(given), isOperatorTrusted };
  const { headers, ...read } = readTerms(terms);
  const isElsewhere = new URL(read.url).origin !== new URL(former.url).origin;
  if (isElsewhere && change.headers === undefined && (await store.hasHeaders(scope, id)))
    throw invalid('headers', OTHER_SERVER);
  const box = change.headers === undefined ? undefined : await sealHeaders(scope, id, headers);
  await store.change(scope, id, read, box);
  await note(scope, by, 'webhook_endpoint_changed', { id, url: read.url });
}

/** What was still to be delivered to it is dropped. @throws Failure not_found */
export async function deleteEndpoint(scope: WriteScope, by: Doer, id: string): Promise<void> {
  const endpoint = await getEndpoint(scope, id);
  await store.remove(scope, id);
  for (const kind of Object.values(ENDPOINT_ALERTS)) await resolveAlert(scope, kind, id);
  await note(scope, by, 'webhook_endpoint_deleted', endpoint);
}

/**
 * Emits a test event for this endpoint alone. @returns the event's id
 * @throws Failure not_found, webhook_endpoint_disabled
 */
export async function sendTest(scope: WriteScope, by: Doer, id: string): Promise<string> {
  const endpoint = await getEndpoint(scope, id);
  if (endpoint.state !== 'enabled') throw fail('webhook_endpoint_disabled');
  await note(scope, by, 'webhook_test_sent', endpoint);
  return emitTest(scope, id);
}

/** Oldest first; 200 at most. */
export function listEndpoints(scope: ReadScope): Promise<Endpoint[]> {
  return store.all(scope);
}

/**
 * Its deliveries wait until it is enabled. One that the plan disabled stays as it is.
 * @throws Failure not_found
 */
export async function disableEndpoint(scope: WriteScope, by: Doer, id: string): Promise<void> {
  const endpoint = await getEndpoint(scope, id);
  if (await store.disable(scope, id, 'asked', scope.clock.now()))
    await note(scope, by, 'webhook_endpoint_disabled', endpoint);
}

/**
 * Its deliveries that wait are made, and its failures are forgotten.
 * @param limit most endpoints that the plan allows; 0 = it has none
 * @throws Failure not_found, plan_does_not_include_webhooks, webhook_endpoint_limit_reached
 */
export async function enableEndpoint(
  scope: WriteScope,
  by: Doer,
  id: string,
  limit: number,
): Promise<void> {
  if (limit === 0) throw fail('plan_does_not_include_webhooks');
  await store.lockOrganization(scope);
  const endpoint = await getEndpoint(scope, id);
  if (endpoint.state === 'enabled') return;
  const { enabled } = await store.count(scope);
  if (enabled >= limit) throw fail('webhook_endpoint_limit_reached');
  await store.enable(scope, id);
  await resolveAlert(scope, ENDPOINT_ALERTS.disabled, id);
  await note(scope, by, 'webhook_endpoint_enabled', endpoint);
}

/**
 * A new secret; the former one signs beside it for a day, if it opens.
 * @throws Failure not_found
 */
export async function rotateSecret(scope: WriteScope, by: Doer, id: string): Promise<MadeEndpoint> {
  const endpoint = await getEndpoint(scope, id);
  const secret = newSecret(endpoint.signature);
  const until = scope.clock.now().add({ hours: OVERLAP_HOURS });
  const formerUntil = (await opensSecret(scope, id)) ? until : null;
  await store.replaceSecret(scope, id, await sealSecret(scope, id, secret), formerUntil);
  await resolveAlert(scope, ENDPOINT_ALERTS.unreadable, id);
  await note(scope, by, 'webhook_secret_rotated', endpoint);
  return { id, secret: verifierOf(secret) };
}

async function opensSecret(scope: ReadScope, id: string): Promise<boolean> {
  const box = await store.secretBox(scope, id);
  try {
    if (box) await openBoxes(scope, id, { secrets: [box], headers: null });
    return box !== null;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

/**
 * The plan changed: beyond its limit the newest are disabled, and what an earlier plan disabled is
 * as it was before, up to it. @param limit 0 = the plan has none
 */
export async function followPlan(scope: WriteScope, limit: number): Promise<void> {
  await store.limitEnabled(scope, limit, scope.clock.now());
}

/** @throws Failure not_found */
export async function getEndpoint(scope: ReadScope, id: string): Promise<Endpoint> {
  const found = isId(id) ? await store.one(scope, id) : null;
  if (found) return found;
  throw fail('not_found', { message: 'No existe un endpoint con ese identificador.' });
}

/** Of its address only the host is recorded: its path or query may hold a secret. */
export function note(
  scope: WriteScope,
  by: Doer,
  act: Act,
  { id, url }: Pick<Endpoint, 'id' | 'url'>,
): Promise<void> {
  return noteAct(scope, by, act, { subject: id, label: new URL(url).host });
}
