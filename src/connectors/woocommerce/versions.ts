import type { ApiVersion } from '../contract.ts';
import type { WooCommerceCredentials } from './credentials.ts';

export const versions: readonly ApiVersion<WooCommerceCredentials>[] = [
  {
    api: 'WooCommerce REST API',
    version: 'v3',
    endsOn: null,
    source: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',
  },
];
