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
import { invalid } from '../../platform/failure.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { openCall } from '../wire/call.ts';
import { proveAndStore } from './prove.ts';
import { withSellerErrors } from './sentences.ts';

const ATTEMPT_MINUTES = 15;

/** Begins a consent, valid once. @returns the address for the seller's browser */
export async function beginConsent(
  parts: ExchangeParts,
  organizationId: string,
  marketplace: Marketplace,
  typedStore: string | null = null,
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
  await parts.database
    .within(organizationId)
    .write((scope) =>
      rememberAttempt(scope, parts.keyring, { state, marketplace, verifier, store, expiresAt }),
    );
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

function storeOf({ name, auth }: Connector<unknown>, typed: string | null): string | null {
  if (!auth.consent?.store) return null;
  const store = auth.consent.store(typed ?? '');
  if (store === null)
    throw invalid('store', `Esa no es la dirección de una tienda de ${name}. Revísala.`);
  return store;
}

/**
 * Connects the account of a seller who returned with a code.
 * @throws Failure invalid_request when the attempt is unknown, used or too old; upstream_error
 */
export async function finishConsent(
  parts: ExchangeParts,
  marketplace: Marketplace,
  answer: Readonly<Record<string, string>>,
): Promise<{ connectionId: string; account: Account<unknown>; organizationId: string }> {
  const connector = connectorFor(marketplace);
  const application = applicationOf(parts, marketplace);
  const attempt = await parts.database.write((handle) =>
    takeAttempt(handle, parts.keyring, answer.state ?? '', parts.clock.now()),
  );
  if (!attempt || attempt.marketplace !== marketplace || !connector.auth.consent || !application) {
    throw invalid('state', 'Este intento de conexión ya no es válido. Pide un enlace nuevo.');
  }
  const { organizationId, verifier, store } = attempt;
  const { consent } = connector.auth;
  const call = openCall(parts, {
    connector: connector as Connector<null>,
    credentials: null,
    application,
    lane: organizationId,
    ...reachOf(parts, { service: marketplace, baseUrl: null }),
    renew: null,
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
    ...granted,
  });
  return { ...settled, organizationId };
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
