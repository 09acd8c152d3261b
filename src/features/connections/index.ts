/**
 * Connections: an organisation's accounts at marketplaces and carriers, their sealed credentials
 * and how they are doing.
 */

export {
  type AccountSource,
  beginRenewal,
  type Connection,
  type ConnectionState,
  connectionByAddress,
  connectionById,
  connectionsByAccount,
  disconnect,
  endRenewal,
  everyConnection,
  isStillConnected,
  leftAmong,
  listConnections,
  markRecovered,
  markTrouble,
  markWell,
  openCredentials,
  openPushSecret,
  type SealedConnection,
  type ServiceSource,
  saveConnection,
  saveCredentials,
  servicesOf,
  setState,
} from './connections.ts';
export {
  forgetRenewal,
  type RenewedAttempt,
  recallRenewal,
  rememberAttempt,
  rememberRenewal,
  takeAttempt,
} from './consent-attempts.ts';
export {
  type Freshness,
  type FreshnessMemory,
  listFreshness,
  openFreshnessMemory,
} from './freshness.ts';
export { listOffers, type Offer } from './offers.ts';
export { countRefusal, endRefusal, isParked, type Refusal, type Refused } from './refusals.ts';
export { resealAll } from './reseal.ts';
export {
  hasWebhookSecret,
  OVERLAP_HOURS,
  openSecretDoor,
  rotateWebhookSecret,
  type SecretDoor,
  webhookSecret,
} from './secrets.ts';
export { RETENTIONS } from './store-retentions.ts';
export {
  type AsideRow,
  beginStream,
  countSetAside,
  finishPass,
  forgetUnreadable,
  keepAside,
  listSetAside,
  loadStream,
  noteFailure,
  noteLimit,
  restartStreams,
  type StreamProgress,
  savePage,
  sealAside,
  setAside,
  setAsideIds,
  takeBack,
} from './streams.ts';
