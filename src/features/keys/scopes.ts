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

export const DEFAULT_SCOPES: readonly Scope[] = ['orders:read'];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
