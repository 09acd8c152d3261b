import type { ZodType } from 'zod';
import type { Instant } from '../../platform/time.ts';
import type { Application, Call, WireRequest } from './call.ts';
import type { CredentialForm } from './form.ts';

/** How credentials are validated, put on a request, checked and renewed. */
export interface Auth<Credentials> {
  readonly kind: 'oauth2' | 'api_key' | 'client_credentials';
  /** The schema of a credential file; unknown fields are refused. */
  readonly credentials: ZodType<Credentials>;
  /** Base addresses by name. A call that names none uses `default`. */
  hosts(credentials: Credentials): { readonly default: string } & Readonly<Record<string, string>>;
  /** Adds the credentials to the headers or the query. */
  sign(request: WireRequest, credentials: Credentials, moment: Moment): WireRequest;
  /** Makes the cheapest call that proves the credentials; returns the account. */
  check(call: Call<Credentials>): Promise<Account<Credentials>>;
  /**
   * Another way to use the same credentials, tried while an account is connected after `check` threw
   * `refusal`; null = there is none. The way that works is stored.
   */
  otherwise?(credentials: Credentials, refusal: unknown): Credentials | null;
  /**
   * Returns new credentials and their lifetime; null = these cannot be renewed. Absent =
   * credentials do not expire.
   */
  renew?(
    call: Call<Credentials>,
    application: Application | null,
  ): Promise<Renewed<Credentials> | null>;
  /** A renewal ends the former refresh token, so that an old copy of the credentials is dead. */
  readonly hasSingleUseToken?: true;
  /** What a seller types. Absent = accounts are connected by consent alone. */
  readonly form?: CredentialForm;
  /** OAuth consent in the seller's browser. Absent = credentials are typed. */
  readonly consent?: Consent<Credentials>;
}

/** What a signature may need besides the credentials. */
interface Moment {
  readonly application: Application | null;
  readonly now: Instant;
}

export interface Consent<Credentials> {
  /**
   * Validates the store that the seller types, where the consent page is on the store's own host;
   * null = refused.
   */
  readonly store?: (typed: string) => string | null;
  /** The address of the consent page. */
  address(request: ConsentRequest): string;
  /**
   * Exchanges the query of the redirect for credentials.
   * @throws ZodError where the query has another shape
   */
  exchange(call: Call<null>, request: CodeExchange): Promise<Renewed<Credentials>>;
}

interface ConsentRequest {
  readonly application: Application;
  readonly redirectUri: string;
  readonly state: string;
  /** PKCE, S256. */
  readonly challenge: string;
  /** As `store` returned it; null where consent needs no store. */
  readonly store: string | null;
}

export interface CodeExchange {
  readonly application: Application;
  readonly redirectUri: string;
  /** The query of the redirect, with the code. */
  readonly answer: Readonly<Record<string, string>>;
  readonly verifier: string;
  readonly store: string | null;
}

/** Characters. A filter by account and its cursors must fit an address. */
export const LONGEST_ACCOUNT = 200;

export interface Account<Credentials> {
  /**
   * Identifies the seller's account at the service; part of the identity of each order.
   * `LONGEST_ACCOUNT` characters at most.
   */
  readonly accountId: string;
  readonly name: string;
  /** Credentials completed by the check; absent = unchanged. */
  readonly credentials?: Credentials;
  /** Lifetime of a token that the check requested, in seconds; absent = none was requested. */
  readonly secondsToLive?: number | null;
  /** Spanish sentences about missing parts of the seller's permission, shown to the seller. */
  readonly gaps?: readonly string[];
}

export interface Renewed<Credentials> {
  readonly credentials: Credentials;
  readonly secondsToLive: number | null;
}
