/** What Google allows a consumer's account, from its pages on quotas of Apps Script and Sheets. */
export const MOST_RUN_MS = 6 * 60_000;
export const MOST_TRIGGERS_MS_A_DAY = 90 * 60_000;
export const MOST_FETCHES_A_DAY = 20_000;
export const LONGEST_ADDRESS = 2_048;
export const LONGEST_PROPERTY = 9 * 1_024;
export const LARGEST_STORE = 500 * 1_024;
export const LONGEST_CELL = 50_000;
export const MOST_CELLS = 10_000_000;
export const MOST_TRIGGERS = 20;
export const DAY_MS = 24 * 3_600_000;

/** What a call of a service takes, in milliseconds. */
export const COSTS = { call: 1, sheet: 5, flush: 100, fetch: 300, trigger: 200 };
