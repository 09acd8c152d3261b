import { inTable } from '../platform/word-table.ts';
import { amazon } from './amazon/connector.ts';
import type { Connector, Marketplace } from './contract.ts';
import { coppel } from './coppel/connector.ts';
import { liverpool } from './liverpool/connector.ts';
import { mercadoLibre } from './mercado_libre/connector.ts';
import { shopify } from './shopify/connector.ts';
import { tiendanube } from './tiendanube/connector.ts';
import { tiktokShop } from './tiktok_shop/connector.ts';
import { vtex } from './vtex/connector.ts';
import { walmart } from './walmart/connector.ts';
import { woocommerce } from './woocommerce/connector.ts';

/** The marketplaces, one line each. */
const CONNECTORS: Readonly<Record<Marketplace, Connector<unknown>>> = {
  mercado_libre: mercadoLibre,
  amazon: amazon,
  walmart: walmart,
  shopify: shopify,
  tiktok_shop: tiktokShop,
  liverpool: liverpool,
  coppel: coppel,
  vtex: vtex,
  woocommerce: woocommerce,
  tiendanube: tiendanube,
};

/** Credentials are opaque outside the connector. */
export function findConnector(slug: Marketplace): Connector<unknown> | null {
  return inTable(CONNECTORS, slug) ?? null;
}
