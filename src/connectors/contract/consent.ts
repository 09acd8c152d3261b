import type { Renewed } from './account.ts';
import type { Application, Call } from './call.ts';

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
