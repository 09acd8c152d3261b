/** The marketplaces, in the order of enumerations and lists; append only. */
export const MARKETPLACES = [
  'mercado_libre',
  'amazon',
  'walmart',
  'shopify',
  'tiktok_shop',
  'liverpool',
  'coppel',
  'vtex',
  'woocommerce',
  'tiendanube',
] as const;
export type Marketplace = (typeof MARKETPLACES)[number];
