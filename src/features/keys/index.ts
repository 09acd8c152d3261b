/** API keys: shown once, kept as a hash, revoked at once everywhere. */
export { type Access, type AccessCache, openAccessCache } from './access.ts';
export {
  createKey,
  DEFAULT_OVERLAP,
  type Key,
  type KeyTerms,
  LIFETIMES,
  listKeys,
  OVERLAPS,
  regenerateKey,
  revokeKey,
  stateOf,
} from './keys.ts';
export { DEFAULT_SCOPES, isScope, SCOPES, type Scope } from './scopes.ts';
