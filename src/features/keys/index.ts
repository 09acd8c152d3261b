/** API keys: shown once, kept as a hash, revoked at once everywhere. */
export { type Access, type AccessCache, openAccessCache } from './access.ts';
export {
  createKey,
  type KeyTerms,
  listKeys,
  regenerateKey,
  revokeKey,
} from './keys.ts';
export { isScope, SCOPES, type Scope } from './scopes.ts';
