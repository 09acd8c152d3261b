import { createHash, randomBytes } from 'node:crypto';
import { ZodError } from 'zod';
import type { ServiceSlug } from '../../carriers/contract.ts';
import { type ConnectedService, findService } from '../../carriers/registry.ts';
import type {
  Account,
  Call,
  CodeExchange,
  Connector,
  Consent,
  Marketplace,
  Renewed,
} from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  forgetRenewal,
  type RenewedAttempt,
  recallRenewal,
  rememberAttempt,
  rememberRenewal,
  restartStreams,
  saveConnection,
  takeAttempt,
  webhookSecret,
} from '../../features/connections/index.ts';
import { schedule, unschedule } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { Failure, fail, invalid } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { streamsOf } from '../streams.ts';
import { openCall } from '../wire/call.ts';
import { asUpstream } from '../wire/errors.ts';
import { scheduleRenewal, writeWithRetries } from '../wire/renew-credentials.ts';

interface Typed {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  /** As typed or read from a file; checked here. */
  readonly credentials: unknown;
  readonly baseUrl: string | null;
}

const ATTEMPT_MINUTES = 15;
const SUBSCRIBE_EVERY_SECONDS = 86_400;

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
  return settle(parts, connector, { ...typed, credentials, secondsToLive: null });
}

/** Where to send the seller's browser; remembers the attempt until it comes back, once. */
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
 * The seller came back with a code.
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
  const granted = await telling(connector, () => exchangeAnswer(consent, call, request));
  const settled = await settle(parts, connector, {
    organizationId,
    service: marketplace,
    baseUrl: null,
    ...granted,
  });
  return { ...settled, organizationId };
}

/**
 * What cannot be read before anything is asked came with the browser, and is not the marketplace's
 * word.
 */
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

/** The seller came back without a yes: that attempt is over too. */
export async function abandonConsent(parts: ExchangeParts, state: string): Promise<void> {
  await parts.database.write((handle) =>
    takeAttempt(handle, parts.keyring, state, parts.clock.now()),
  );
}

function redirectUriOf(parts: Pick<ExchangeParts, 'publicUrl'>, marketplace: Marketplace): string {
  return `${parts.publicUrl}/connect/${marketplace}`;
}

interface Granted extends Renewed<unknown> {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  readonly baseUrl: string | null;
}

/** Proves credentials and stores them as a connection. */
async function settle(
  parts: ExchangeParts,
  connector: ConnectedService,
  granted: Granted,
): Promise<{ connectionId: string; account: Account<unknown> }> {
  const { organizationId, service, baseUrl } = granted;
  const organization = parts.database.within(organizationId);
  let current: RenewedAttempt =
    (await organization.read((scope) =>
      recallRenewal(scope, parts.keyring, service, granted.credentials),
    )) ?? toAttempt(parts, granted);
  const call = openCall(parts, {
    ...callerOf(parts, connector, granted),
    credentials: current.credentials,
    renew: connector.auth.renew
      ? async (stale) => {
          current = await renewUnconnected(parts, connector, granted, stale);
          return current.credentials;
        }
      : null,
  });
  const account = await telling(connector, () => connector.auth.check(call));
  const { credentials, expireAt } = learnt(parts, current, account);
  const connectionId = await organization.write(async (scope) => {
    const id = await saveConnection(scope, parts.keyring, {
      service,
      accountId: account.accountId,
      name: account.name,
      baseUrl,
      credentials,
      credentialsExpireAt: expireAt,
    });
    await forgetRenewal(scope, service, granted.credentials);
    await planConnection(scope, connector, id, expireAt);
    // Whoever pushes to an address of the organisation's own needs its secret; most often it was
    // asked for before.
    if (connector.readPushed) await webhookSecret(scope, parts.keyring, service);
    await alertGaps(scope, id, account.gaps ?? []);
    return id;
  });
  return { connectionId, account };
}

/**
 * What was granted may be good for one renewal only, and the proof may yet fail: what comes of it
 * is kept first.
 */
async function renewUnconnected(
  parts: ExchangeParts,
  connector: ConnectedService,
  granted: Granted,
  stale: unknown,
): Promise<RenewedAttempt> {
  const { organizationId, service } = granted;
  const caller = callerOf(parts, connector, granted);
  const call = openCall(parts, { ...caller, credentials: stale, renew: null });
  const fresh = await connector.auth.renew?.(call, caller.application);
  if (!fresh)
    throw new UpstreamError('unauthorized', service, 'these credentials cannot be renewed');
  const renewed = toAttempt(parts, fresh);
  await writeWithRetries(parts, organizationId, (scope) =>
    rememberRenewal(scope, parts.keyring, service, granted.credentials, renewed),
  );
  return renewed;
}

function callerOf(parts: ExchangeParts, connector: ConnectedService, granted: Granted) {
  const { organizationId, service, baseUrl } = granted;
  return {
    connector,
    application: applicationOf(parts, service),
    lane: organizationId,
    ...reachOf(parts, { service, baseUrl }),
  };
}

function toAttempt(
  { clock }: ExchangeParts,
  { credentials, secondsToLive }: Renewed<unknown>,
): RenewedAttempt {
  return {
    credentials,
    expireAt: secondsToLive === null ? null : clock.now().add({ seconds: secondsToLive }),
  };
}

/** What a check asked for anew comes before what it was asked with. */
function learnt(
  parts: ExchangeParts,
  current: RenewedAttempt,
  account: Account<unknown>,
): RenewedAttempt {
  const { credentials = current.credentials, secondsToLive } = account;
  return secondsToLive === undefined
    ? { ...current, credentials }
    : toAttempt(parts, { credentials, secondsToLive });
}

/** Everything that recurs for a connection goes on the calendar. */
async function planConnection(
  scope: WriteScope,
  connector: ConnectedService,
  id: string,
  expireAt: Instant | null,
): Promise<void> {
  const now = scope.clock.now();
  await unschedule(scope, 'access', id);
  for (const [stream, { every }] of streamsOf(connector))
    await schedule(scope, 'sync', `${id}:${stream}`, every.minutes * 60, now);
  if (connector.notifications?.ensure)
    await schedule(scope, 'subscribe', id, SUBSCRIBE_EVERY_SECONDS, now);
  if (connector.traceEvery) await scheduleTrace(scope, id, connector.traceEvery.minutes);
  if (expireAt !== null) await scheduleRenewal(scope, id, expireAt.since(now).total('seconds'));
}

/**
 * What the permission leaves out is told, or it would look like data that is not there; once given,
 * it is read.
 */
async function alertGaps(
  scope: WriteScope,
  connectionId: string,
  gaps: readonly string[],
): Promise<void> {
  const alert = { kind: 'connection_gaps', subject: connectionId, message: gaps.join(' ') };
  if (gaps.length > 0) return raiseAlert(scope, alert);
  const isNew = await resolveAlert(scope, alert.kind, alert.subject);
  if (isNew) await restartStreams(scope, connectionId);
}

/** The first import has just read everything. */
async function scheduleTrace(scope: WriteScope, id: string, minutes: number): Promise<void> {
  await schedule(scope, 'trace', id, minutes * 60, scope.clock.now().add({ minutes }));
}

function connectorFor(marketplace: Marketplace): Connector<unknown> {
  const connector = findConnector(marketplace);
  if (!connector) throw invalid('marketplace', `Todavía no se puede conectar ${marketplace}.`);
  return connector;
}

function serviceFor(slug: ServiceSlug): ConnectedService {
  const service = findService(slug);
  if (!service) throw invalid('marketplace', `Todavía no se puede conectar ${slug}.`);
  return service;
}

function readCredentials(connector: ConnectedService, typed: unknown): unknown {
  try {
    return connector.auth.credentials.parse(typed);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const field = fieldOf(error);
    throw invalid(
      field,
      `Las credenciales de ${connector.name} no están completas o no tienen la forma esperada: revisa ${field}.`,
    );
  }
}

/** The first wrong field; of one that nobody knows the schema tells the name apart. */
function fieldOf({ issues: [issue] }: ZodError): string {
  const path = issue?.path ?? [];
  return (
    (issue?.code === 'unrecognized_keys' ? [...path, ...issue.keys] : path).join('.') ||
    'credentials'
  );
}

const WHY: Partial<Record<UpstreamKind, string>> = {
  unauthorized: '{name} no aceptó las credenciales. Revísalas o genera unas nuevas.',
  forbidden: '{name} no da permiso a esta cuenta. Usa una cuenta administradora.',
  unpaid:
    '{name} suspendió esta tienda o su aplicación por un pago pendiente. Ponte al corriente allá e intenta de nuevo.',
  inward:
    'La dirección de la tienda no es pública, así que no la consultamos. Escribe la que usan tus compradores.',
  refused: '{name} no aceptó las credenciales. Revísalas o genera unas nuevas.',
  unreachable: '{name} no responde por ahora. Intenta de nuevo en unos minutos.',
  paced: '{name} permite pocas consultas. Intenta de nuevo en unos minutos.',
  throttled: '{name} nos pidió ir más despacio. Intenta de nuevo en unos minutos.',
};
const NOT_UNDERSTOOD = '{name} respondió algo que no entendemos.';

/** What a refusal means to the person who is connecting. */
async function telling<T>(connector: ConnectedService, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    const error = asUpstream(thrown, connector.slug);
    if (!error) throw thrown;
    const message = (WHY[error.kind] ?? NOT_UNDERSTOOD).replace('{name}', connector.name);
    throw fail('upstream_error', { message, details: { source: connector.slug }, cause: error });
  }
}
