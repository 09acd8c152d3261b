import type { ServiceSlug } from '../../carriers/contract.ts';
import type { ConnectedService } from '../../carriers/registry.ts';
import type { Account, Call, Renewed } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  accountName,
  addressSecretOf,
  forgetRenewal,
  type RenewedAttempt,
  recallRenewal,
  rememberRenewal,
  restartStreams,
  saveConnection,
} from '../../features/connections/index.ts';
import { authorize } from '../../features/people/index.ts';
import { noteAct, type PersonDoing } from '../../features/trail/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { Failure, fail } from '../../platform/failure.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { openCall } from '../wire/call.ts';
import { asUpstream } from '../wire/errors.ts';
import { noteGaps } from '../wire/note-gaps.ts';
import { openOneTry } from '../wire/patience.ts';
import { writeWithRetries } from '../wire/renew-credentials.ts';
import { planConnection } from './plan.ts';
import { withSellerErrors } from './sentences.ts';

/** Of a try in another way. */
const LONGEST_OTHER_TRY_MS = 10_000;

interface Granted extends Renewed<unknown> {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  readonly baseUrl: string | null;
  /** For the trail; null = the operator, whose acts are the terminal's. */
  readonly by: PersonDoing | null;
  /** The account that they must belong to; null = any. */
  readonly accountId: string | null;
  /** Fields of the credentials that stay as stored, if the account is connected; absent = none. */
  readonly settings?: readonly string[];
  /** Once it aborts, nothing is stored; absent = it is not cancelled. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Proves credentials and stores them as a connection.
 * @throws Failure invalid_request where they belong to another account; insufficient_role where the person lost that right meanwhile; upstream_error; the reason of the signal
 */
export async function proveAndStore(
  parts: ExchangeParts,
  connector: ConnectedService,
  granted: Granted,
): Promise<{ connectionId: string; account: Account<unknown> }> {
  const { organizationId, service, baseUrl, signal } = granted;
  const organization = parts.database.within(organizationId);
  let current: RenewedAttempt =
    (await organization.read((scope) =>
      recallRenewal(scope, parts.keyring, service, granted.credentials),
    )) ?? toAttempt(parts, granted);
  const caller = { ...callerOf(parts, connector, granted), signal };
  const call = openCall(parts, {
    ...caller,
    credentials: current.credentials,
    renew: connector.auth.renew
      ? async (stale) => {
          current = await renewUnconnected(parts, connector, granted, stale);
          return current.credentials;
        }
      : null,
  });
  const again = (credentials: unknown) => {
    const patience = openOneTry(parts.clock, LONGEST_OTHER_TRY_MS);
    return openCall(parts, { ...caller, credentials, renew: null, patience });
  };
  const account = await withSellerErrors(connector, () => checkEachWay(connector, call, again));
  await refuseAnother(parts, connector, granted, account);
  const { credentials, expireAt } = learnt(parts, current, account);
  const connectionId = await organization.write(async (scope) => {
    if (granted.by) await authorize(scope, granted.by.personId, 'manage_connections');
    const id = await saveConnection(scope, parts.keyring, {
      service,
      accountId: account.accountId,
      name: account.name,
      baseUrl,
      credentials,
      credentialsExpireAt: expireAt,
      settings: granted.settings ?? [],
    });
    await forgetRenewal(scope, service, granted.credentials);
    await planConnection(scope, connector, id, expireAt);
    // A carrier that sends webhooks to the organisation's own address needs the secret of that
    // address.
    if (connector.readPushed) await addressSecretOf(scope, parts.keyring, service);
    await alertGaps(scope, id, account.gaps ?? []);
    if (granted.by)
      await noteAct(scope, granted.by, 'connection_made', {
        subject: id,
        label: `${connector.name}: ${account.name}`,
      });
    signal?.throwIfAborted();
    return id;
  });
  return { connectionId, account };
}

/** Another account connected in place of the one that lost its access would leave that one without. */
async function refuseAnother(
  { database }: ExchangeParts,
  { name }: ConnectedService,
  { organizationId, service, accountId }: Granted,
  given: Account<unknown>,
): Promise<void> {
  if (accountId === null || accountId === given.accountId) return;
  const known = await database
    .within(organizationId)
    .read((scope) => accountName(scope, service, accountId));
  const wanted = `${known} (${accountId})`;
  const other = `${given.name} (${given.accountId})`;
  throw fail('invalid_request', {
    message: `Ese acceso de ${name} es de la cuenta ${other}, y la que quieres reconectar es ${wanted}, así que no se conectó nada. Vuelve a intentarlo con ${wanted}. Si también quieres tener ${other}, usa «Conectar otra cuenta».`,
  });
}

/**
 * Checks the credentials; after a refusal, in the other ways to use them too.
 * @param reported what the ways before were refused with; null = there was none
 */
async function checkEachWay(
  connector: ConnectedService,
  call: Call<unknown>,
  again: (credentials: unknown) => Call<unknown>,
  reported: unknown = null,
): Promise<Account<unknown>> {
  const { auth, slug } = connector;
  try {
    return await auth.check(call);
  } catch (error) {
    const upstream = asUpstream(error, slug);
    if (!upstream && !(error instanceof Failure)) throw error;
    // A later fault says more than the first only where keys are refused: the address is right then.
    const refusal = reported === null || upstream?.kind === 'unauthorized' ? error : reported;
    const credentials = auth.otherwise?.(call.credentials, error) ?? null;
    if (credentials === null) throw refusal;
    const account = await checkEachWay(connector, again(credentials), again, refusal);
    return { credentials, ...account };
  }
}

/**
 * Refresh tokens may be single-use and the check may still fail, so the new credentials are stored
 * before they are used, and a renewal is not cancelled.
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

/** Credentials that the check returned replace those it was called with. */
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

/**
 * Raises an alert for what the seller's permission does not cover. Once it is covered, all streams
 * begin anew.
 */
async function alertGaps(
  scope: WriteScope,
  connectionId: string,
  gaps: readonly string[],
): Promise<void> {
  const isNew = await noteGaps(scope, connectionId, gaps);
  if (isNew) await restartStreams(scope, connectionId);
}
