import type { Connector, Marketplace } from './contract.ts';
import { mercadoLibre } from './mercado_libre/connector.ts';

/** The marketplaces that can be connected, one line each. */
const CONNECTORS: Partial<Record<Marketplace, Connector<never>>> = {
  mercado_libre: mercadoLibre as Connector<never>,
};

/** Credentials are opaque to everybody but the connector itself. */
export function findConnector(slug: Marketplace): Connector<unknown> | null {
  return (CONNECTORS[slug] as Connector<unknown> | undefined) ?? null;
}

export function availableConnectors(): readonly Connector<unknown>[] {
  return Object.values(CONNECTORS) as unknown as Connector<unknown>[];
}
