import type { Scope } from '../../features/keys/index.ts';
import type { Organization } from '../../features/organizations/index.ts';
import type { Membership } from '../../features/people/index.ts';
import type { Redirect } from './redirect.ts';

/** What an agent asks for, and who it says it is. */
export interface ConsentRequest {
  readonly clientId: string;
  readonly clientName: string;
  /** The host that its description was read from; null = it described itself. */
  readonly verifiedHost: string | null;
  readonly redirect: Redirect;
  readonly scopes: readonly Scope[];
}

/** One of the person's organisations, and what they may give there. */
export interface Choice {
  readonly membership: Membership;
  readonly organization: Organization;
  readonly allowed: readonly Scope[];
}
