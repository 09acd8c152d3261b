import { amazon } from './amazon/connector.ts';
import type { Connector, Marketplace } from './contract.ts';
import { coppel } from './coppel/connector.ts';
import { inTable } from './kit.ts';
import { liverpool } from './liverpool/connector.ts';
import { mercadoLibre } from './mercado_libre/connector.ts';
import { shopify } from './shopify/connector.ts';
import { tiendanube } from './tiendanube/connector.ts';
import { tiktokShop } from './tiktok_shop/connector.ts';
import { vtex } from './vtex/connector.ts';
import { walmart } from './walmart/connector.ts';
import { woocommerce } from './woocommerce/connector.ts';

/** The marketplaces, one line each. */
const CONNECTORS: Readonly<Record<Marketplace, Connector<never>>> = {
  mercado_libre: mercadoLibre as Connector<never>,
  amazon: amazon as Connector<never>,
  walmart: walmart as Connector<never>,
  shopify: shopify as Connector<never>,
  tiktok_shop: tiktokShop as Connector<never>,
  liverpool: liverpool as Connector<never>,
  coppel: coppel as Connector<never>,
  vtex: vtex as Connector<never>,
  woocommerce: woocommerce as Connector<never>,
  tiendanube: tiendanube as Connector<never>,
};

/** Credentials are opaque to everybody but the connector itself. */
export function findConnector(slug: Marketplace): Connector<unknown> | null {
  return (inTable(CONNECTORS, slug) as Connector<unknown> | undefined) ?? null;
}
