import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Account } from '../../connectors/contract.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { proveAndStore } from './prove.ts';
import { readCredentials, serviceFor, settingsBeyond } from './typed-credentials.ts';

interface Typed {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  /** As typed or read from a file; checked here. */
  readonly credentials: unknown;
  readonly baseUrl: string | null;
  /** For the trail; absent = the operator. */
  readonly by?: PersonDoing;
  /** They were typed into the form, which lacks some settings: stored ones stay. */
  readonly isForm?: true;
  /** The account that is connected again; absent = whichever they belong to. */
  readonly accountId?: string | null;
  /** Once it aborts, nothing is stored; absent = it is not cancelled. */
  readonly signal?: AbortSignal;
}

/**
 * Connects an account with typed credentials: proves them with the cheapest call, stores them
 * sealed, and begins to synchronise. The same account connected again keeps its id and its data.
 * @throws Failure invalid_request, upstream_error
 */
export async function connect(
  parts: ExchangeParts,
  typed: Typed,
): Promise<{ connectionId: string; account: Account<unknown> }> {
  const connector = serviceFor(typed.service);
  const credentials = readCredentials(connector, typed.credentials);
  return proveAndStore(parts, connector, {
    ...typed,
    by: typed.by ?? null,
    accountId: typed.accountId ?? null,
    credentials,
    secondsToLive: null,
    settings: typed.isForm ? settingsBeyond(connector, typed.credentials) : [],
  });
}
