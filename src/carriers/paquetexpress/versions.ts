import type { ApiVersion } from '../../connectors/contract.ts';
import type { PaquetexpressCredentials } from './credentials.ts';

const DOCUMENTS = 'the integration documents that Paquetexpress gives to its clients';

export const versions: readonly ApiVersion<PaquetexpressCredentials>[] = [
  { api: 'RadRestFul', version: 'v1', endsOn: null, source: DOCUMENTS },
  { api: 'ptxws, listing', version: 'v1', endsOn: null, source: DOCUMENTS },
  { api: 'ptxws, history', version: 'v3', endsOn: null, source: DOCUMENTS },
];
