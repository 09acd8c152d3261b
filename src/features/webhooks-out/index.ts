/** Events for customers: written in the transaction that causes them, and delivered by workers. */
export {
  barEndpoint,
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
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  ENDPOINT_ALERTS,
  enableEndpoint,
  followPlan,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  sendTest,
} from './endpoints.ts';
export { EVENT_TYPES, type EventType, LOGGED_TYPES, type OutgoingEvent } from './event.ts';
export { type EventClocks, openEventClocks } from './event-clock.ts';
export {
  ATTEMPT_SHAPE,
  attemptJson,
  ENDPOINT_SHAPE,
  EVENT_SHAPE,
  endpointJson,
  SECRET_SHAPE,
} from './fields.ts';
export { type Judged, judgeAnswer, judgeError, KEPT_BYTES } from './judge.ts';
export { type Attempt, listAttempts } from './list-attempts.ts';
export {
  EVENT_FILTERS,
  eventAt,
  type LoggedEvent,
  listEvents,
  nothingNew,
  recentEvents,
} from './list-events.ts';
export { RETRY_WAITS, TRIES } from './retry-schedule.ts';
export { isPublicKey, SIGNATURES, signedHeaders } from './signing.ts';
export { RETENTIONS } from './store.ts';
