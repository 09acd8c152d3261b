import { serviceName } from '../../carriers/registry.ts';
import { STREAMS } from '../../connectors/contract.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  type Connection,
  countRefusal,
  endRefusal,
  type Refused,
  setState,
} from '../../features/connections/index.ts';
import { hasten, RECONCILIATION, schedule, unschedule } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { consequenceOf } from './consequences.ts';

/**
 * The pause before the next attempt: after the first refusal, the second, the third, and all later
 * ones.
 */
const PAUSES = [{ minutes: 5 }, { hours: 1 }, { hours: 6 }, { hours: 24 }] as const;
/**
 * Refusals until the alert asks the seller to act; the first one may be a hiccup of the service.
 */
const ENOUGH = 2;
const EVERY_SECONDS = 86_400;

const AT_FIRST: Readonly<Record<Refused, string>> = {
  access:
    '{name} rechazó nuestro acceso a tu cuenta. Lo probamos de nuevo en unos minutos; no tienes que hacer nada.',
  renewal:
    '{name} no renovó nuestro acceso a tu cuenta. Lo probamos de nuevo en unos minutos; no tienes que hacer nada.',
  permission:
    '{name} no nos dejó leer tu cuenta. Lo probamos de nuevo en unos minutos; no tienes que hacer nada.',
};

/**
 * Records a refused access: its jobs pause, and it is tried again with growing pauses. The second
 * refusal raises an alert that asks the seller to connect again.
 */
export async function recordRefusal(
  scope: WriteScope,
  { id, service }: Pick<Connection, 'id' | 'service'>,
  what: Refused,
): Promise<void> {
  const counted = await countRefusal(scope, id, what);
  if (!counted) return;
  if (counted.isCounted) await scheduleRetry(scope, id, counted.times);
  if (counted.times < ENOUGH) {
    await setState(scope, id, 'delayed', AT_FIRST[what].replace('{name}', serviceName(service)));
    return;
  }
  const { message } = consequenceOf(what === 'permission' ? 'forbidden' : 'unauthorized', service);
  await setState(scope, id, 'reauth_required', message);
  await raiseAlert(scope, { kind: 'connection', subject: id, message });
}

/** @param times how often it was refused by now */
export async function scheduleRetry(scope: WriteScope, id: string, times: number): Promise<void> {
  const pause = PAUSES[Math.min(times, PAUSES.length) - 1] ?? PAUSES[0];
  await schedule(scope, 'access', id, EVERY_SECONDS, scope.clock.now().add(pause));
}

/** Ends the refusal of an accepted access; all streams run at once and reconcile. */
export async function liftRefusal(scope: WriteScope, id: string): Promise<void> {
  await unschedule(scope, 'access', id);
  if (!(await endRefusal(scope, id))) return;
  await resolveAlert(scope, 'connection', id);
  await hastenAll(scope, id);
}

/** Makes all streams run at the next tick, and reconcile. */
export async function hastenAll(scope: WriteScope, id: string): Promise<void> {
  const at = scope.clock.now();
  for (const stream of STREAMS) {
    await hasten(scope, 'sync', `${id}:${stream}`, at);
    await hasten(scope, RECONCILIATION, `${id}:${stream}`, at);
  }
}
