import type { ServiceSlug } from '../../carriers/contract.ts';
import { findService, streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';
import type { ConnectionState } from './states.ts';

interface State {
  readonly state: ConnectionState;
  readonly stateMessage: string | null;
}

/** A sync run of the main stream may be missed, and one may take long. */
const LATE = { periods: 3, leastMinutes: 30 };
const LATE_MESSAGE =
  'La sincronización de esta cuenta va con retraso. Sigue en automático: no tienes que hacer nada.';

/** What an account is connected for: the orders of a marketplace, the shipments of a carrier. */
export function mainStreamOf(service: ServiceSlug): StreamName {
  const [main] = streamsOfKind(service);
  if (!main) throw new Error(`${service} has no stream`);
  return main;
}

/**
 * @param lastSyncAt of the main stream; null = no sync run of it has finished yet
 * @returns whole seconds since then
 */
export function lagOf(lastSyncAt: Instant | null, now: Instant): number | null {
  return lastSyncAt && Math.max(0, Math.floor(lastSyncAt.until(now).total('seconds')));
}

/** The state that users see: the sync runs of an account whose access is well may still not come. */
export function withLag(
  service: ServiceSlug,
  { state, stateMessage }: State,
  lagSeconds: number | null,
): State {
  const isLate = state === 'ok' && lagSeconds !== null && lagSeconds > lateAfterSeconds(service);
  return isLate ? { state: 'delayed', stateMessage: LATE_MESSAGE } : { state, stateMessage };
}

function lateAfterSeconds(service: ServiceSlug): number {
  const every = findService(service)?.[mainStreamOf(service)]?.every.minutes ?? 0;
  return 60 * Math.max(LATE.leastMinutes, LATE.periods * every);
}
