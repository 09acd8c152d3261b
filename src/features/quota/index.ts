/**
 * Requests a minute of each organisation, one counter for REST and the agent endpoint; and what
 * else has a limit.
 */
export { openQuota, type Quota, type QuotaState } from './quota.ts';
export type { Spent } from './window.ts';
