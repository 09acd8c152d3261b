/** API keys: shown once, kept as a hash, revoked at once everywhere. */
export { type Access, type AccessCache, openAccessCache } from './access.ts';
export { type EndingKey, endingKeys, noteEndMailed, organizationsWithUsedKeys } from './ends.ts';
export type { Key } from './key.ts';
export {
  createKey,
  DEFAULT_OVERLAP,
  type KeyTerms,
  keyMadeWith,
  LIFETIMES,
  listKeys,
  type MadeKey,
  OVERLAPS,
  regenerateKey,
  revokeKey,
  stateOf,
} from './keys.ts';
export {
  DEFAULT_SCOPES,
  isScope,
  KEY_SCOPES,
  type KeyScope,
  READS_OF_KEYS,
  SCOPES,
  type Scope,
  scopesOn,
} from './scopes.ts';
