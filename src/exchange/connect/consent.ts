import { createHash, randomBytes } from 'node:crypto';
import { ZodError } from 'zod';
import type {
  Account,
  Call,
  CodeExchange,
  Connector,
  Consent,
  Marketplace,
} from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { rememberAttempt, takeAttempt } from '../../features/connections/index.ts';
import { findOrganization } from '../../features/organizations/index.ts';
import { authorize } from '../../features/people/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { openCall } from '../wire/call.ts';
import { proveAndStore } from './prove.ts';
import { withSellerErrors } from './sentences.ts';

const ATTEMPT_MINUTES = 15;

interface ConsentOptions {
  /** As typed, where the consent page is on the store's own host. */
  readonly store?: string | null;
  /**
   * The signed-in person: only their browser may end it, so that a link from another person's consent
   * connects no account to a stranger's organisation. Null = the operator.
   */
  readonly begunBy?: string | null;
  /** The account that is connected again; null = whichever the seller chooses. */
  readonly accountId?: string | null;
}

/** Begins a consent, valid once. @returns the address for the seller's browser */
export async function beginConsent(
  parts: ExchangeParts,
  organizationId: string,
  marketplace: Marketplace,
  { store: typedStore = null, begunBy = null, accountId = null }: ConsentOptions = {},
): Promise<string> {
  const connector = connectorFor(marketplace);
  const application = applicationOf(parts, marketplace);
  if (!connector.auth.consent || !application) {
    throw invalid(
      'marketplace',
      `${connector.name} no se puede conectar con su página de permiso en esta instalación.`,
    );
  }
  const store = storeOf(connector, typedStore);
  const state = randomBytes(32).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  const expiresAt = parts.clock.now().add({ minutes: ATTEMPT_MINUTES });
  const attempt = { state, marketplace, verifier, store, begunBy, accountId, expiresAt };
  await parts.database.within(organizationId).write(async (scope) => {
    if (begunBy !== null) await authorize(scope, begunBy, 'manage_connections');
    await rememberAttempt(scope, parts.keyring, attempt);
  });
  const address = new URL(
    connector.auth.consent.address({
      application,
      redirectUri: redirectUriOf(parts, marketplace),
      state,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      store,
    }),
  );
  const { baseUrl } = reachOf(parts, { service: marketplace, baseUrl: null });
  return baseUrl ? new URL(address.pathname + address.search, baseUrl).href : address.href;
}

interface FinishedConsent {
  readonly connectionId: string;
  readonly account: Account<unknown>;
  readonly organizationId: string;
  readonly begunBy: string | null;
}

function storeOf({ name, auth }: Connector<unknown>, typed: string | null): string | null {
  if (!auth.consent?.store) return null;
  const store = auth.consent.store(typed ?? '');
  if (store === null)
    throw invalid('store', `Esa no es la dirección de una tienda de ${name}. Revísala.`);
  return store;
}

/**
 * Connects the account of a seller who returned with a code.
 * @param by the signed-in person of that browser; null = none
 * @param signal once it aborts, nothing is stored
 * @throws Failure invalid_request when the attempt is unknown, used or too old;
 * or gives access to another account than the one to connect again; organization_suspended,
 * insufficient_role; upstream_error
 */
export async function finishConsent(
  parts: ExchangeParts,
  marketplace: Marketplace,
  answer: Readonly<Record<string, string>>,
  { by: person, signal }: { readonly by: PersonDoing | null; readonly signal: AbortSignal },
): Promise<FinishedConsent> {
  const connector = connectorFor(marketplace);
  const application = applicationOf(parts, marketplace);
  const attempt = await parts.database.write((handle) =>
    takeAttempt(handle, parts.keyring, answer.state ?? '', parts.clock.now()),
  );
  if (!attempt || attempt.marketplace !== marketplace || !connector.auth.consent || !application) {
    throw invalid('state', 'Este intento de conexión ya no es válido. Pide un enlace nuevo.');
  }
  const { organizationId, verifier, store, begunBy, accountId } = attempt;
  const organization = await parts.database.read((handle) =>
    findOrganization(handle, organizationId),
  );
  if (!organization || organization.isSuspended) throw fail('organization_suspended');
  if (begunBy !== null && begunBy !== person?.personId)
    throw invalid(
      'state',
      `Esta conexión la inició otra persona, así que no se conectó nada. Inicia sesión y vuelve a empezar en ${SITE_PAGES.connections.name}.`,
    );
  const { consent } = connector.auth;
  const call = openCall(parts, {
    connector: connector as Connector<null>,
    credentials: null,
    application,
    lane: organizationId,
    ...reachOf(parts, { service: marketplace, baseUrl: null }),
    renew: null,
    signal,
  });
  const request = {
    application,
    redirectUri: redirectUriOf(parts, marketplace),
    answer,
    verifier,
    store,
  };
  const granted = await withSellerErrors(connector, () => exchangeAnswer(consent, call, request));
  const settled = await proveAndStore(parts, connector, {
    organizationId,
    service: marketplace,
    baseUrl: null,
    by: begunBy === null ? null : person,
    accountId,
    signal,
    ...granted,
  });
  return { ...settled, organizationId, begunBy };
}

/** Before the first call, an unreadable answer is the browser's and not the marketplace's. */
async function exchangeAnswer(consent: Consent<unknown>, call: Call<null>, request: CodeExchange) {
  let isAsked = false;
  const noticing: Call<null> = {
    ...call,
    get(...asked) {
      isAsked = true;
      return call.get(...asked);
    },
    request(asked) {
      isAsked = true;
      return call.request(asked);
    },
  };
  try {
    return await consent.exchange(noticing, request);
  } catch (error) {
    if (!(error instanceof ZodError) || isAsked) throw error;
    const [field = 'code'] = error.issues[0]?.path ?? [];
    throw invalid(
      String(field),
      'La respuesta llegó incompleta, así que no se conectó nada. Vuelve a empezar.',
    );
  }
}

/** Ends the attempt of a seller who returned without a permission. */
export async function abandonConsent(parts: ExchangeParts, state: string): Promise<void> {
  await parts.database.write((handle) =>
    takeAttempt(handle, parts.keyring, state, parts.clock.now()),
  );
}

function redirectUriOf(parts: Pick<ExchangeParts, 'publicUrl'>, marketplace: Marketplace): string {
  return `${parts.publicUrl}/connect/${marketplace}`;
}

function connectorFor(marketplace: Marketplace): Connector<unknown> {
  const connector = findConnector(marketplace);
  if (!connector) throw invalid('marketplace', `Todavía no se puede conectar ${marketplace}.`);
  return connector;
}
