import type { ApiVersion } from '../contract.ts';
import type { WalmartCredentials } from './credentials.ts';

const MIGRATION = 'https://developer.walmart.com/mx-marketplace/docs/global-api-migration-faq';

/**
 * The Mexican ones are to be switched off; existing integrations were asked to move by 31 January
 * 2026.
 */
export const versions: readonly ApiVersion<WalmartCredentials>[] = [
  {
    api: 'Global Marketplace APIs',
    version: '3.1',
    endsOn: null,
    source: MIGRATION,
    isUsedBy: ({ global_version }) => Boolean(global_version),
  },
  {
    api: 'Mexican Marketplace APIs',
    version: 'v3',
    endsOn: null,
    source: MIGRATION,
    isUsedBy: ({ global_version }) => !global_version,
  },
];
