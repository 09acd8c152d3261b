import type { ApiVersion } from '../contract.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { API_VERSION } from './queries.ts';

export const versions: readonly ApiVersion<ShopifyCredentials>[] = [
  {
    api: 'GraphQL Admin API',
    version: API_VERSION,
    endsOn: endOf(API_VERSION),
    source: 'https://shopify.dev/docs/api/usage/versioning',
  },
];

/**
 * A version is supported for twelve months from the first of its month; afterwards the next one
 * silently replaces it.
 */
function endOf(version: string): string {
  return Temporal.PlainYearMonth.from(version).add({ years: 1 }).toPlainDate({ day: 1 }).toString();
}
