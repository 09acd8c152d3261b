import type { WriteScope } from '../../platform/db/database.ts';
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
