import type { PlanTerms } from '../plans/index.ts';

/** The read permissions of keys and agents. */
export const SCOPES = [
  'orders:read',
  'sales:read',
  'inventory:read',
  'cfdi:read',
  'balances:read',
  'shipments:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Those that serve a key: an operation needs them, or an export of their data. Stock is only for
 * agents so far.
 */
export const READS_OF_KEYS: readonly Scope[] = SCOPES.filter((scope) => scope !== 'inventory:read');

/** What keys may do in `/manage/v1`; never granted by default. */
const MANAGE_SCOPES = ['events:read', 'webhooks:write', 'cfdi:write', 'exports:write'] as const;

/** The plans that serve each of these. */
const IS_SERVED: Readonly<Record<(typeof MANAGE_SCOPES)[number], (terms: PlanTerms) => boolean>> = {
  'events:read': ({ eventDays }) => eventDays > 0,
  'webhooks:write': ({ webhooks }) => webhooks === 'full',
  'cfdi:write': ({ api }) => api,
  'exports:write': ({ api }) => api,
};

/** All permissions of a key. */
export const KEY_SCOPES = [...SCOPES, ...MANAGE_SCOPES] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const DEFAULT_SCOPES: readonly Scope[] = ['orders:read'];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export function isKeyScope(text: string): text is KeyScope {
  return (KEY_SCOPES as readonly string[]).includes(text);
}

/** The permissions that a new key may have on this plan. */
export function scopesOn(terms: PlanTerms): KeyScope[] {
  return KEY_SCOPES.filter((scope) => isScope(scope) || IS_SERVED[scope](terms));
}
