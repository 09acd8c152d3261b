/** Requests that are made once, however often they are repeated within a day. */
export { once } from './once.ts';
export { RETENTIONS } from './store.ts';
