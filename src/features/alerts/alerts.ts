import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { noteAct, type PersonDoing } from '../trail/index.ts';
import * as store from './store.ts';

interface Alert {
  /** The kind of problem, in snake_case. */
  readonly kind: string;
  /** The thing that it concerns; one alert per kind and subject. */
  readonly subject: string;
  /** In Spanish, for the seller. */
  readonly message: string;
}

/**
 * Raises an alert, or counts one more occurrence of it.
 * @param options.hasOwnMail the caller sends its own mail, so the mail about alerts leaves it out
 */
export async function raiseAlert(
  scope: WriteScope,
  alert: Alert,
  { hasOwnMail = false }: { readonly hasOwnMail?: boolean } = {},
): Promise<void> {
  await store.raise(scope, alert, scope.clock.now(), hasOwnMail);
}

/** @returns whether there was one. */
export async function resolveAlert(
  scope: WriteScope,
  kind: string,
  subject: string,
): Promise<boolean> {
  return (await store.resolve(scope, { kind, subject }, scope.clock.now(), null)) !== null;
}

/** By a person. @returns when; null = there was none */
export async function settleAlert(
  scope: WriteScope,
  by: PersonDoing,
  alert: Pick<Alert, 'kind' | 'subject'>,
): Promise<Instant | null> {
  // As exact as an address can name it.
  const at = scope.clock.now().round('millisecond');
  const label = await store.resolve(scope, alert, at, by.personId);
  if (label === null) return null;
  await noteAct(scope, by, 'alert_settled', { label });
  return at;
}

/**
 * Takes back that a person settled an alert, unless it was raised or resolved anew since then.
 * @param settledAt what `settleAlert` returned
 */
export async function reopenAlert(
  scope: WriteScope,
  by: PersonDoing,
  { kind, subject }: Pick<Alert, 'kind' | 'subject'>,
  settledAt: Instant,
): Promise<boolean> {
  const label = await store.reopen(scope, kind, subject, settledAt);
  if (label === null) return false;
  await noteAct(scope, by, 'alert_reopened', { label });
  return true;
}

/** Resolves alerts of these kinds about one connection or one of its streams. */
export async function resolveAlertsOf(
  scope: WriteScope,
  kinds: readonly string[],
  connectionId: string,
): Promise<void> {
  await store.resolveOf(scope, kinds, connectionId, scope.clock.now());
}

/** The id of the connection that an alert is about; it may name no connection. */
export function connectionIdIn(subject: string): string {
  return subject.split(':', 1)[0] as string;
}

/** Whether such an alert is unresolved. */
export function isRaised(scope: ReadScope, kind: string, subject: string): Promise<boolean> {
  return store.isOpen(scope, kind, subject);
}

/** Unresolved alerts of one kind, of every organisation. */
export async function openAlerts(
  handle: Handle,
  kind: string,
): Promise<{ organizationId: string; subject: string }[]> {
  const rows = await store.openOfKind(handle, kind);
  return rows.map(({ organization_id, subject }) => ({ organizationId: organization_id, subject }));
}

/** The least time between two mails about alerts to one organisation. */
const MAIL_MINUTES = 15;

/**
 * The organisations with alerts that began and were not mailed, if a mail may go now. A mail that a
 * clock dated later than now delays none.
 */
export function organizationsToMail(handle: Handle, now: Instant): Promise<string[]> {
  return store.organizationsWithUnmailed(handle, now.subtract({ minutes: MAIL_MINUTES }), now);
}

/**
 * Call in the transaction that sends the mail: one of several processes gets the sentences.
 * @returns each alert that began
 */
export function takeUnmailed(scope: WriteScope): Promise<Alert[]> {
  return store.takeUnmailed(scope, scope.clock.now());
}

export interface KeptAlert extends Alert {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** How often it was raised since then. */
  readonly count: number;
  readonly resolvedAt: Instant | null;
}

interface WantedAlerts {
  /** Resolved ones too. */
  readonly all: boolean;
  /** Absent = every kind. */
  readonly kinds?: readonly string[] | null;
  /** Absent = as many as there are. */
  readonly limit?: number;
}

/** Newest first. */
export async function listAlerts(
  scope: ReadScope,
  { all, kinds = null, limit }: WantedAlerts,
): Promise<KeptAlert[]> {
  const rows = await store.list(scope, { all, kinds, limit: limit ?? null });
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

/** For as many days resolved alerts are listed. */
export const RESOLVED_DAYS = 30;

interface ResolvedAlert extends Alert {
  readonly firstAt: Instant;
  readonly resolvedAt: Instant;
  /** The id of a person; null = the alert ended by itself. */
  readonly settledBy: string | null;
}

/** Those of the last days, the last one that was resolved first. */
export async function listResolvedAlerts(
  scope: ReadScope,
  now: Instant,
  { kinds, limit }: { readonly kinds: readonly string[] | null; readonly limit: number },
): Promise<ResolvedAlert[]> {
  const since = now.subtract({ hours: 24 * RESOLVED_DAYS });
  const rows = await store.listResolved(scope, { since, kinds, limit });
  return rows.map(({ kind, subject, message, first_at, resolved_at, settled_by }) => ({
    kind,
    subject,
    message,
    firstAt: first_at,
    resolvedAt: resolved_at,
    settledBy: settled_by,
  }));
}
