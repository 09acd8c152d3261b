import type { Carrier, ServiceSlug } from '../../carriers/contract.ts';
import { findCarrier, findService, SERVICES } from '../../carriers/registry.ts';
import type { CredentialForm, Marketplace } from '../../connectors/contract.ts';
import { hasWebhookSecret } from '../../features/connections/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { applicationOf, type ExchangeParts } from '../parts.ts';

/** How a seller connects an account of a service in this installation. */
interface WaysToConnect {
  readonly service: ServiceSlug;
  readonly name: string;
  /** Null = the operator has not registered an application, or the service has no such page. */
  readonly consent: {
    /** The page is on the store's own host, so the store is asked for first. */
    readonly asksForStore: boolean;
  } | null;
  /** Null = accounts are connected by consent alone. */
  readonly form: CredentialForm | null;
  /** Null = the service is given no address; else whether the organisation has one already. */
  readonly eventAddress: { readonly isMade: boolean } | null;
}

/** Of every service, in the product's order. */
export async function waysToConnect(
  parts: Pick<ExchangeParts, 'applications'>,
  scope: ReadScope,
): Promise<WaysToConnect[]> {
  const ways: WaysToConnect[] = [];
  for (const service of SERVICES) {
    const connector = findService(service);
    if (!connector) continue;
    const { name, auth } = connector;
    const hasEvents = findCarrier(service as Carrier)?.facts.eventsPath != null;
    ways.push({
      service,
      name,
      consent:
        auth.consent && applicationOf(parts, service as Marketplace)
          ? { asksForStore: auth.consent.store !== undefined }
          : null,
      form: auth.form ?? null,
      eventAddress: hasEvents ? { isMade: await hasWebhookSecret(scope, service) } : null,
    });
  }
  return ways;
}
