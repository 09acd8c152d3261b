import type { ApiVersion } from '../contract.ts';
import type { TiendanubeCredentials } from './credentials.ts';

const DOCUMENTS = 'https://tiendanube.github.io/api-documentation/';

export const versions: readonly ApiVersion<TiendanubeCredentials>[] = [
  {
    api: 'Tiendanube API',
    version: 'v1',
    endsOn: null,
    source: DOCUMENTS,
    isUsedBy: ({ version }) => version === 'v1',
  },
  {
    api: 'Tiendanube API',
    version: '2025-03',
    endsOn: null,
    source: DOCUMENTS,
    isUsedBy: ({ version }) => version === '2025-03',
  },
];
