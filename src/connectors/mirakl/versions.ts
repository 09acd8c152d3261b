import type { ApiVersion } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';

export const versions: readonly ApiVersion<MiraklCredentials>[] = [
  {
    api: 'Mirakl Seller API',
    version: null,
    endsOn: null,
    source: 'https://developer.mirakl.com/',
  },
];
