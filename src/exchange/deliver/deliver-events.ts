import { findOrganization } from '../../features/organizations/index.ts';
import { termsOf } from '../../features/plans/index.ts';
import {
  barEndpoint,
  type Claimed,
  claimDeliveries,
  type DueEndpoint,
  type Judged,
  judgeAnswer,
  judgeError,
  KEPT_BYTES,
  pauseEndpoint,
  releaseEndpoint,
  settleTry,
  signedHeaders,
  type TakenEndpoint,
  takeEndpoint,
} from '../../features/webhooks-out/index.ts';
import { newId } from '../../platform/ids.ts';
import { SealError } from '../../platform/seal.ts';
import type { ExchangeParts } from '../parts.ts';
import { alertAboutEndpoint, alertAboutUnreadableSecret } from './alert-about-endpoint.ts';

const TIMEOUT_MS = 15_000;
/** Then other endpoints get the slot; the next tick finds what is left. */
const TURN_MS = 60_000;
/** How long the plan of an organisation, which decides on deliveries, is kept in memory. */
const BARRED_SECONDS = 60;
/** Until an endpoint whose secret does not open is tried again. */
const UNREADABLE_SECONDS = 10 * 60;

/**
 * Delivers what is due to one endpoint, some at once. Of several processes one works on it; a
 * delivery of one that was killed is made again.
 * @returns how many requests were sent
 */
export async function deliverEvents(parts: ExchangeParts, due: DueEndpoint): Promise<number> {
  const { database, clock } = parts;
  const organization = database.within(due.organizationId);
  const held = { endpointId: due.endpointId, lease: newId() };
  const startedAt = clock.monotonic();
  let sent = 0;
  try {
    while (!parts.isStopping() && clock.monotonic() - startedAt < TURN_MS) {
      const batch = await claimBatch(parts, due, held);
      if (!batch || batch.claimed.length === 0) break;
      if (sent === 0 && !(await mayReceive(parts, due.organizationId))) {
        await organization.write((scope) => barEndpoint(scope, due.endpointId, BARRED_SECONDS));
        break;
      }
      sent += batch.claimed.length;
      await Promise.all(batch.claimed.map((one) => deliver(parts, due, batch.endpoint, one)));
    }
  } finally {
    await organization.write((scope) => releaseEndpoint(scope, held));
  }
  return sent;
}

/** @returns null where there is nothing to do, or its secret does not open */
async function claimBatch(
  parts: ExchangeParts,
  { organizationId }: DueEndpoint,
  held: Parameters<typeof takeEndpoint>[1],
): Promise<{ endpoint: TakenEndpoint; claimed: Claimed[] } | null> {
  const organization = parts.database.within(organizationId);
  try {
    return await organization.write(async (scope) => {
      const endpoint = await takeEndpoint(scope, held);
      return endpoint && { endpoint, claimed: await claimDeliveries(scope, endpoint) };
    });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    await organization.write(async (scope) => {
      await pauseEndpoint(scope, held.endpointId, UNREADABLE_SECONDS);
      await alertAboutUnreadableSecret(parts, scope, held.endpointId);
    });
    return null;
  }
}

async function mayReceive({ database }: ExchangeParts, organizationId: string): Promise<boolean> {
  const found = await database.read((handle) => findOrganization(handle, organizationId));
  return found !== null && !found.isSuspended && termsOf(found.plan).webhooks === 'full';
}

async function deliver(
  parts: ExchangeParts,
  { organizationId }: DueEndpoint,
  endpoint: TakenEndpoint,
  claimed: Claimed,
): Promise<void> {
  const { database, clock, metrics, random } = parts;
  const at = clock.now();
  const startedAt = clock.monotonic();
  const judged = await send(parts, endpoint, claimed);
  const milliseconds = Math.round(clock.monotonic() - startedAt);
  metrics.deliveries.observe({ outcome: judged.outcome }, milliseconds / 1000);
  const time = { at, milliseconds, random: random() };
  await database.within(organizationId).write(async (scope) => {
    const settled = await settleTry(scope, endpoint, claimed, judged, time);
    await alertAboutEndpoint(parts, scope, endpoint, settled);
  });
}

async function send(
  { network, clock }: ExchangeParts,
  endpoint: TakenEndpoint,
  { eventId, body }: Claimed,
): Promise<Judged> {
  const signed = signedHeaders(endpoint.secrets, {
    id: eventId,
    epochSeconds: Math.floor(clock.millis() / 1_000),
    body,
  });
  const request = {
    method: 'POST',
    url: endpoint.url,
    headers: {
      'user-agent': 'Tianguis-Webhooks/1',
      ...endpoint.headers,
      'content-type': 'application/json',
      ...signed,
    },
    body,
  };
  const reach = {
    addresses: endpoint.isOperatorTrusted ? ('any' as const) : ('public' as const),
    timeoutMilliseconds: TIMEOUT_MS,
    maximumBytes: KEPT_BYTES,
    cutsLonger: true,
    // Customers of one integration service share its host.
    neverWaits: true,
  };
  try {
    return judgeAnswer(await network.send(request, reach), clock.now());
  } catch (error) {
    return judgeError(error);
  }
}
