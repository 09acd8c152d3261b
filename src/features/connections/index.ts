/**
 * Connections: an organisation's accounts at marketplaces and carriers, their sealed credentials
 * and their states.
 */

export {
  type AsideRow,
  countSetAside,
  forgetNameless,
  forgetUnreadable,
  keepAside,
  listSetAside,
  namelessFrom,
  sealAside,
  setAside,
  setAsideIds,
  takeBack,
} from './asides.ts';
export type {
  AccountSource,
  Connection,
  SealedConnection,
  ServiceSource,
} from './connection.ts';
export { openCredentials } from './connection-credentials.ts';
export {
  connectedAccounts,
  connectionByAddress,
  connectionById,
  connectionsByAccount,
  countStates,
  disconnect,
  everyConnection,
  isStillConnected,
  leftAmong,
  listConnections,
  organizationsWithFormer,
  saveConnection,
  servicesOf,
} from './connections.ts';
export {
  forgetRenewal,
  type RenewedAttempt,
  recallRenewal,
  rememberAttempt,
  rememberRenewal,
  takeAttempt,
} from './consent-attempts.ts';
export { firstImports } from './first-imports.ts';
export { type Freshness, listFreshness } from './freshness.ts';
export { type FreshnessMemory, openFreshnessMemory } from './freshness-memory.ts';
export { markRecovered, markTrouble, markWell, setState } from './mark-state.ts';
export { accountName, giveName, namesOfSeveral } from './names.ts';
export { listOffers, type Offer } from './offers.ts';
export { connectionOverviews } from './overview.ts';
export { isSynced, setPaused } from './pauses.ts';
export { subscriptionSecretOf } from './push-secret.ts';
export { countRefusal, endRefusal, isParked, type Refusal, type Refused } from './refusals.ts';
export { beginRenewal, endRenewal, saveCredentials } from './renewals.ts';
export { resealAll } from './reseal.ts';
export {
  addressSecretOf,
  hasWebhookSecret,
  OVERLAP_HOURS,
  openSecretVerifier,
  rotateWebhookSecret,
  type SecretVerifier,
} from './secrets.ts';
export { CONNECTION_STATES, type ConnectionState } from './states.ts';
export { RETENTIONS } from './store-retentions.ts';
export { IS_BACKFILL } from './store-streams.ts';
export {
  beginStream,
  finishRun,
  loadStream,
  noteFailure,
  noteLimit,
  restartStreams,
  type StreamProgress,
  savePage,
} from './streams.ts';
export { lastRuns, noteRun, RUN_OUTCOMES } from './sync-runs.ts';
