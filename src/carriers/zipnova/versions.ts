import type { ApiVersion } from '../../connectors/contract.ts';
import type { ZipnovaCredentials } from './credentials.ts';

export const versions: readonly ApiVersion<ZipnovaCredentials>[] = [
  {
    api: 'Envíos API',
    version: 'v2',
    endsOn: null,
    source: 'the public documents of the Envíos API',
  },
];
