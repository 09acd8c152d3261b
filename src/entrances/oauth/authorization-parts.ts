import type { IncomingHttpHeaders } from 'node:http';
import type { FactorLack, Proofs } from '../../features/people/index.ts';
import type { Quota, Spent } from '../../features/quota/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Network } from '../../platform/network.ts';
import type { Keyring } from '../../platform/seal.ts';

/** A signed-in person. */
export interface Visitor extends Proofs {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** What the authorization server is built from. */
export interface OAuthParts {
  readonly people: {
    signedIn(headers: IncomingHttpHeaders): Promise<Visitor | null>;
    /** What the session lacks to give access to others; null = nothing. */
    factorLack(session: Proofs): FactorLack | null;
    /** Whether the address of a request is one of ours. */
    isOwnOrigin(origin: string): boolean;
  };
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly network: Network;
  readonly quota: Pick<Quota, 'counter'>;
  /** ConsentRequest when it is needed: the system may choose the port. */
  readonly publicUrl: () => string;
  /** Where the agent endpoint is, without `/mcp`. */
  readonly mcpUrl: () => string;
  /** Scheme, host and port where clients' documents are really read; null = at their own hosts. */
  readonly clientDocumentsAt: string | null;
}

/** Counts the requests that need no session, for each address. */
export interface AddressLimits {
  authorize(address: string): Promise<Spent>;
  register(address: string): Promise<Spent>;
  documents(address: string): Promise<Spent>;
}

export interface AuthorizationParts extends OAuthParts {
  readonly limits: AddressLimits;
}
