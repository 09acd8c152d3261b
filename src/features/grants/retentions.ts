import { KEYS_RETENTION } from './keys.ts';
import { CALLS_RETENTION } from './store.ts';
import { RECORDS_RETENTION } from './store-records.ts';

export const RETENTIONS = [CALLS_RETENTION, RECORDS_RETENTION, KEYS_RETENTION];
