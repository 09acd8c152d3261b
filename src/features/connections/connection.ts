import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';
import { type Refusal, refusalIn } from './refusals.ts';
import { type ConnectionState, stateIn } from './states.ts';
import type * as store from './store.ts';

export interface Connection {
  readonly organizationId: string;
  readonly id: string;
  /** The service of the account: a marketplace or a carrier. */
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly name: string;
  /** The address of a test system in place of the service's own hosts. */
  readonly baseUrl: string | null;
  readonly state: ConnectionState;
  /** In Spanish: what is wrong and what to do. */
  readonly stateMessage: string | null;
  readonly credentialsExpireAt: Instant | null;
  /** Null while its access is not refused. */
  readonly refusal: Refusal | null;
}

/** The marketplace account that something was read from, and the connection that read it. */
export interface AccountSource {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly connectionId: string;
}

/** The same, where the account may be a carrier's. */
export interface ServiceSource {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly connectionId: string;
}

/** A connection with its credentials still sealed. */
export interface SealedConnection extends Connection {
  readonly box: string | null;
  /** The secret of its webhook subscriptions, sealed. */
  readonly pushBox: string | null;
}

export function fromRow(organizationId: string, row: store.ConnectionRow): SealedConnection {
  return {
    organizationId,
    id: row.id,
    service: row.service as ServiceSlug,
    accountId: row.account_id,
    name: row.name,
    baseUrl: row.base_url,
    ...stateIn(row),
    credentialsExpireAt: row.credentials_expire_at,
    box: row.credentials,
    pushBox: row.push_secret,
    refusal: refusalIn(row),
  };
}
