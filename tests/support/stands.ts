import type { Marketplace } from '../../src/connectors/contract.ts';
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

/** How the shared suite of connectors sees each marketplace, one line each. */
export const STAND_OF: Readonly<Record<Marketplace, Stand>> = {
  mercado_libre: mercadoLibre,
  amazon,
  walmart,
  shopify,
  tiktok_shop: tiktokShop,
  liverpool,
  coppel,
  vtex,
  woocommerce,
  tiendanube,
};

/** All of them, also those that are a second stand of their marketplace. */
export const STANDS: readonly Stand[] = [...Object.values(STAND_OF), walmartLegacy];
