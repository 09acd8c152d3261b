/** The erasure of a whole organisation. */
export { close, quiet } from './close.ts';
export { erase } from './erase.ts';
export { type Erasure, erasureOf, type ServiceOutcome } from './erasure.ts';
export { remainsOf } from './remains.ts';
export { ERASED } from './tables.ts';
