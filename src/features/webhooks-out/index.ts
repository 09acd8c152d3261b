/** Events for customers: written in the transaction that causes them, sent later. */
export { emit, forgetEvents, type OutgoingEvent } from './emit.ts';
