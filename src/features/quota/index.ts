/**
 * Requests a minute of each organisation, one counter for REST and the agent endpoint; other limits;
 * and the requests of the last days by minute and caller.
 */
export { openQuota, type Quota, type QuotaState } from './quota.ts';
export { RETENTIONS } from './store.ts';
export {
  openUsageRecorder,
  type RequestCaller,
  USAGE_SPANS,
  type UsageRecorder,
  type UsageSpan,
  usageOf,
} from './usage.ts';
export type { Spent } from './window.ts';
