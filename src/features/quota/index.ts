/** Requests a minute of each organisation: one counter for REST and the agent endpoint. */
export { openQuota, type Quota, type QuotaState } from './quota.ts';
export { memoryCounter, type Spent } from './window.ts';
