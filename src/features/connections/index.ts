/** Connections: an organisation's accounts at marketplaces, their sealed credentials and how they are doing. */

export { forgetStale, rememberAttempt, takeAttempt } from './attempts.ts';
export {
  type AccountSource,
  type ConnectionState,
  connectionByAddress,
  connectionById,
  connectionsByAccount,
  disconnect,
  everyConnection,
  listConnections,
  openCredentials,
  openPushSecret,
  type SealedConnection,
  saveConnection,
  saveCredentials,
  setState,
} from './connections.ts';
export { listOffers, type Offer } from './offers.ts';
export { resealAll } from './reseal.ts';
export {
  beginStream,
  countSetAside,
  finishPass,
  forgetUnreadable,
  loadStream,
  noteFailure,
  restartStreams,
  type StreamProgress,
  savePage,
  setAside,
  setAsideIds,
  takeBack,
} from './streams.ts';
