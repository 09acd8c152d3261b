import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

interface Alert {
  /** What kind of thing is wrong, in snake_case. */
  readonly kind: string;
  /** What it is wrong with; one alert per kind and subject. */
  readonly subject: string;
  /** In Spanish, for the seller. */
  readonly message: string;
}

/** Begins an alert, or counts one more time of it. */
export async function raiseAlert(scope: WriteScope, alert: Alert): Promise<void> {
  await store.raise(scope, alert, scope.clock.now());
}

/** @returns whether there was one. */
export function resolveAlert(scope: WriteScope, kind: string, subject: string): Promise<boolean> {
  return store.resolve(scope, kind, subject, scope.clock.now());
}

/** Resolves those of these kinds that are about one connection or one of its streams. */
export async function resolveAlertsOf(
  scope: WriteScope,
  kinds: readonly string[],
  connectionId: string,
): Promise<void> {
  await store.resolveOf(scope, kinds, connectionId, scope.clock.now());
}

/** Whether such an alert is not resolved. */
export function isRaised(scope: ReadScope, kind: string, subject: string): Promise<boolean> {
  return store.isOpen(scope, kind, subject);
}

/** Of every organisation, those of one kind that are not resolved. */
export async function openAlerts(
  handle: Handle,
  kind: string,
): Promise<{ organizationId: string; subject: string }[]> {
  const rows = await store.openOfKind(handle, kind);
  return rows.map(({ organization_id, subject }) => ({ organizationId: organization_id, subject }));
}

export interface KeptAlert extends Alert {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** How often it was raised since then. */
  readonly count: number;
  readonly resolvedAt: Instant | null;
}

/** The newest first. @param all resolved ones too */
export async function listAlerts(
  scope: ReadScope,
  { all }: { all: boolean },
): Promise<KeptAlert[]> {
  const rows = await store.list(scope, all);
  return rows.map(({ kind, subject, message, first_at, last_at, times, resolved_at }) => ({
    kind,
    subject,
    message,
    firstAt: first_at,
    lastAt: last_at,
    count: times,
    resolvedAt: resolved_at,
  }));
}
