import type { ApiVersion } from '../contract.ts';
import type { AmazonCredentials } from './credentials.ts';

const DEPRECATIONS = 'https://developer-docs.amazon.com/sp-api/docs/sp-api-deprecations';

export const versions: readonly ApiVersion<AmazonCredentials>[] = [
  { api: 'Orders API', version: '2026-01-01', endsOn: null, source: DEPRECATIONS },
  { api: 'Finances API', version: '2024-06-19', endsOn: null, source: DEPRECATIONS },
  { api: 'Transfers API', version: '2024-06-01', endsOn: null, source: DEPRECATIONS },
  { api: 'Listings Items API', version: '2021-08-01', endsOn: null, source: DEPRECATIONS },
  { api: 'FBA Inventory API', version: 'v1', endsOn: null, source: DEPRECATIONS },
  { api: 'Sellers API', version: 'v1', endsOn: null, source: DEPRECATIONS },
];
