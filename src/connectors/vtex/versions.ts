import type { ApiVersion } from '../contract.ts';
import type { VtexCredentials } from './credentials.ts';

export const versions: readonly ApiVersion<VtexCredentials>[] = [
  {
    api: 'Orders, Logistics and Catalog APIs',
    version: null,
    endsOn: null,
    source: 'https://developers.vtex.com/docs/api-reference/orders-api',
  },
];
