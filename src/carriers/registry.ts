import {
  type Connector,
  MARKETPLACES,
  type Marketplace,
  type Service,
  STREAMS,
  type StreamName,
} from '../connectors/contract.ts';
import { findConnector } from '../connectors/registry.ts';
import { inTable } from '../platform/word-table.ts';
import { CARRIERS, type Carrier, type CarrierConnector, type ServiceSlug } from './contract.ts';
import { paquetexpress } from './paquetexpress/connector.ts';
import { zipnova } from './zipnova/connector.ts';

/** A service that the engine calls, with the streams that it offers. */
export type ConnectedService = Service<unknown> &
  Partial<Omit<Connector<unknown>, 'slug' | 'facts'>> &
  Partial<Omit<CarrierConnector<unknown>, 'slug' | 'facts'>> & { readonly slug: ServiceSlug };

/** The services where an account can be connected: marketplaces first. */
export const SERVICES: readonly ServiceSlug[] = [...MARKETPLACES, ...CARRIERS];

/** The carriers, one line each. */
const CONNECTORS: Readonly<Record<Carrier, CarrierConnector<unknown>>> = {
  zipnova: zipnova,
  paquetexpress: paquetexpress,
};

const OF_CARRIERS: readonly StreamName[] = ['shipments', 'balances'];
const OF_MARKETPLACES = STREAMS.filter((stream) => stream !== 'shipments');

/**
 * The streams that services of this kind may offer; a service that lacks one reports it as
 * unavailable.
 */
export function streamsOfKind(slug: ServiceSlug): readonly StreamName[] {
  return (CARRIERS as readonly string[]).includes(slug) ? OF_CARRIERS : OF_MARKETPLACES;
}

/** Credentials are opaque outside the connector. */
export function findCarrier(slug: Carrier): CarrierConnector<unknown> | null {
  return inTable(CONNECTORS, slug) ?? null;
}

/** The carriers with an optional feature, in their public order. */
export function carriersThat(
  offer: (connector: CarrierConnector<unknown>) => boolean,
): readonly CarrierConnector<unknown>[] {
  return CARRIERS.map((slug) => CONNECTORS[slug]).filter(offer);
}

/** Services whose accounts are reconnected after a restore: their stored tokens may be dead. */
export function singleUseServices(): readonly ServiceSlug[] {
  return SERVICES.filter((slug) => findService(slug)?.auth.hasSingleUseToken);
}

/** A marketplace or a carrier: the engine treats them alike. */
export function findService(slug: ServiceSlug): ConnectedService | null {
  return findConnector(slug as Marketplace) ?? findCarrier(slug as Carrier);
}

/** The name that people know a service by. */
export function serviceName(slug: ServiceSlug): string {
  return findService(slug)?.name ?? slug;
}
