/** The erasure of a whole organisation. */
export { close, type Erasure, erase, erasureOf, quiet, type ServiceOutcome } from './erase.ts';
export { remainsOf } from './remains.ts';
export { ERASED } from './tables.ts';
