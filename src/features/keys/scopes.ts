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

/** What keys may do in `/manage/v1`; never granted by default. */
export const MANAGE_SCOPES = ['events:read', 'webhooks:write'] as const;

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
