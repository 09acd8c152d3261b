import type { ZodType } from 'zod';
import type { Instant } from '../../platform/time.ts';
import type { Account, Renewed } from './account.ts';
import type { Application, Call, WireRequest } from './call.ts';
import type { Consent } from './consent.ts';
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
