/** Connections: an organisation's accounts at marketplaces and carriers, their sealed credentials and how they are doing. */

export {
  forgetRenewal,
  forgetStale,
  type RenewedAttempt,
  recallRenewal,
  rememberAttempt,
  rememberRenewal,
  takeAttempt,
} from './attempts.ts';
export {
  type AccountSource,
  type Connection,
  type ConnectionState,
  connectionByAddress,
  connectionById,
  connectionsByAccount,
  disconnect,
  everyConnection,
  isStillConnected,
  leftAmong,
  listConnections,
  openCredentials,
  openPushSecret,
  type SealedConnection,
  type ServiceSource,
  saveConnection,
  saveCredentials,
  setState,
} from './connections.ts';
export { type Freshness, type FreshnessMemory, listFreshness, openFreshnessMemory } from './freshness.ts';
export { listOffers, type Offer } from './offers.ts';
export { resealAll } from './reseal.ts';
export {
  hasWebhookSecret,
  OVERLAP_HOURS,
  openSecretDoor,
  rotateWebhookSecret,
  type SecretDoor,
  webhookSecret,
} from './secrets.ts';
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
