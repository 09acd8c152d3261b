/**
 * Requests a minute of each organisation, one counter for REST and the agent endpoint; and other
 * limits.
 */
export { openQuota, type Quota, type QuotaState } from './quota.ts';
export type { Spent } from './window.ts';
