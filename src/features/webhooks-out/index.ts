/** Events for customers: written in the transaction that causes them, and delivered by workers. */
export {
  type Claimed,
  claimDeliveries,
  type DueEndpoint,
  dueEndpoints,
  pauseEndpoint,
  releaseEndpoint,
  resendEvents,
  settleTry,
  type TakenEndpoint,
  takeEndpoint,
} from './deliveries.ts';
export { emit } from './emit.ts';
export type { Endpoint } from './endpoint.ts';
export {
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  followPlan,
  listEndpoints,
  rotateSecret,
} from './endpoints.ts';
export type { OutgoingEvent } from './event.ts';
export { type Judged, judgeAnswer, judgeError, KEPT_BYTES } from './judge.ts';
export { signedHeaders } from './signing.ts';
export { RETENTIONS } from './store.ts';
