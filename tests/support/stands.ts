import type { Stand } from './stand.ts';
import { amazon } from './stand-amazon.ts';
import { mercadoLibre } from './stand-mercado-libre.ts';
import { coppel, liverpool } from './stand-mirakl.ts';
import { shopify } from './stand-shopify.ts';
import { tiendanube } from './stand-tiendanube.ts';
import { tiktokShop } from './stand-tiktok-shop.ts';
import { vtex } from './stand-vtex.ts';
import { walmart, walmartLegacy } from './stand-walmart.ts';
import { woocommerce } from './stand-woocommerce.ts';

/** The marketplaces that the shared suite of connectors is run against, one line each. */
export const STANDS: readonly Stand[] = [
  mercadoLibre,
  amazon,
  walmart,
  walmartLegacy,
  shopify,
  tiktokShop,
  liverpool,
  coppel,
  vtex,
  woocommerce,
  tiendanube,
];
