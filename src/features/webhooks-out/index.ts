/** Events for customers: written in the transaction that causes them, sent later. */
export { emit, type OutgoingEvent } from './emit.ts';
export { RETENTIONS } from './store.ts';
