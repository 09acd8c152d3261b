import type { EventEmitter } from 'node:events';
import type Provider from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { grantStands, recordsOf, type ServerKeys } from '../../features/grants/index.ts';
import { SCOPES } from '../../features/keys/index.ts';
import { Failure } from '../../platform/failure.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { contextOf } from '../http.ts';
import { html, type Page, renderPage } from '../page.ts';
import type { AuthorizationParts } from './authorization-parts.ts';
import { documentReader } from './client-documents.ts';
import { type ClientMetadata, normaliseClient } from './client-policy.ts';
import { agentWords, ERROR_WORDS, NO_DESCRIPTION, UNKNOWN_ERROR } from './words.ts';

type LibraryErrors = typeof import('oidc-provider')['errors'];

/** Where the authorization server answers. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/registro',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;
export const CONSENT = '/oauth/permiso/';

const MINUTE = 60;
const DAY = 86_400;
/** Seconds. */
const LIFE = {
  access: 15 * MINUTE,
  code: 60,
  refresh: 30 * DAY,
  grant: 90 * DAY,
  interaction: 10 * MINUTE,
  /** The library's own; we begin each request without. */
  session: MINUTE,
} as const;
const CLIENT_DOCUMENT_SECONDS = { min: 30, max: 3_600 };

/** What the library would say otherwise than it is: it offers more than we let through. */
const OUR_DOCUMENT = {
  response_modes_supported: ['query'],
  scopes_supported: [...SCOPES, 'offline_access'],
  claims_supported: undefined,
};

/** The address that tokens are made for. */
export function resourceOf({ mcpUrl }: Pick<AuthorizationParts, 'mcpUrl'>): string {
  return `${mcpUrl()}/mcp`;
}

/** The name of an interaction in addresses: its id is a secret of the browser. */
export function publicNameOf(interactionId: string): string {
  return sha256(interactionId).slice(0, 20);
}

/** The library, set up to do what we promise and nothing else. */
export async function buildProvider(
  parts: AuthorizationParts,
  keys: ServerKeys,
): Promise<Provider> {
  const { default: Library, errors } = await loadLibrary();
  const provider = new Library(parts.publicUrl(), {
    ...limits(),
    ...identity(parts),
    adapter: adapterMaker(parts, errors),
    jwks: { keys: keys.signing },
    cookies: cookies(parts, keys.cookies),
    fetch: documentReader(parts.network, parts.clientDocumentsAt),
    features: features(parts, errors),
    extraClientMetadata: {
      // The library asks once for each of these; it is the door through which every client passes.
      properties: ['software_id'],
      validator(_ctx, _key, _value, metadata) {
        const fault = normaliseClient(metadata as ClientMetadata);
        if (fault) throw new errors.InvalidClientMetadata(fault);
      },
    },
    renderError: (ctx, { error }) => {
      ctx.respond = false;
      renderPage(ctx.res, errorPage(error, ctx.status, contextOf(ctx.req).id));
    },
  } satisfies Configuration);
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    if (ctx.path === ROUTES.authorization && !ctx.query.scope)
      ctx.query = { ...ctx.query, scope: SCOPES.join(' ') };
    await next();
    if (ctx.body && ctx.path.startsWith('/.well-known/')) Object.assign(ctx.body, OUR_DOCUMENT);
    sayInSpanish(ctx);
  });
  hearFaults(provider, parts.log);
  return provider;
}

/**
 * Loaded when it is needed: most processes of the command line never do. It warns of every Node
 * that is not called a long-term one, and the project brings its own.
 */
async function loadLibrary(): Promise<typeof import('oidc-provider')> {
  const { warn } = console;
  console.warn = () => {};
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

/** A refusal as the agent gets it: as JSON, or in the address that its browser is sent back to. */
function sayInSpanish(ctx: Pick<KoaContextWithOIDC, 'body' | 'path' | 'response' | 'set'>): void {
  const body = ctx.body as { error?: string; error_description?: string } | null | undefined;
  const isNoDescription = ctx.path === ROUTES.registration && body?.error === 'invalid_request';
  const words =
    typeof body === 'object' ? agentWords(body?.error ?? '', body?.error_description) : null;
  if (body && isNoDescription) body.error_description = NO_DESCRIPTION;
  else if (body && words) body.error_description = words;
  const back = URL.parse(ctx.response.get('location') ?? '');
  const said = agentWords(back?.searchParams.get('error') ?? '');
  if (!back || !said) return;
  back.searchParams.set('error_description', said);
  ctx.set('location', back.href);
}

/**
 * The library looks whether a code was used and then notes it; between the two another may come.
 */
function adapterMaker({ database, clock }: AuthorizationParts, errors: LibraryErrors) {
  return (model: string) => {
    const records = recordsOf(database, clock, model);
    return {
      ...records,
      async consume(id: string) {
        if (await records.consume(id)) return;
        // Two came with the same one at the same moment: it has leaked, as when one comes later.
        const { grantId } = (await records.find(id)) ?? {};
        if (typeof grantId === 'string') await records.revokeByGrantId(grantId);
        throw new errors.InvalidGrant('already used');
      },
    };
  };
}

function errorPage(error: string, status: number, requestId: string): Page {
  return {
    title: 'No se puede conectar el agente',
    status,
    body: html`<p>${ERROR_WORDS[error] ?? UNKNOWN_ERROR}</p>
      <p>Código para su desarrollador: <code>${error}</code> (${requestId})</p>`,
  };
}

function hearFaults(provider: Provider, log: Log): void {
  // Of connections, outside of any rule of ours; without a listener the library would print it.
  (provider as EventEmitter).on('error', (error) =>
    log.warn({ err: error }, 'authorization answer not delivered'),
  );
  provider.on('server_error', (ctx, error) => {
    if (error instanceof Failure) {
      ctx.status = error.status;
      ctx.set(error.headers);
    }
    log.error({ request: contextOf(ctx.req).id, err: error }, 'authorization server failed');
  });
}

/** Flows, lifetimes, what is demanded. */
function limits() {
  const withinGrant = (seconds: number) => (ctx: KoaContextWithOIDC) => {
    const left = ctx.oidc.entities.Grant?.remainingTTL ?? seconds;
    return Math.max(1, Math.min(seconds, left));
  };
  return {
    routes: ROUTES,
    responseTypes: ['code'],
    scopes: ['offline_access', ...SCOPES],
    clientAuthMethods: ['none'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 0,
    clientBasedCORS: () => true,
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: {
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ttl: {
      AccessToken: withinGrant(LIFE.access),
      AuthorizationCode: LIFE.code,
      RefreshToken: withinGrant(LIFE.refresh),
      Grant: LIFE.grant,
      Interaction: LIFE.interaction,
      Session: LIFE.session,
      IdToken: LIFE.access,
    },
  } satisfies Configuration;
}

/** People and their consents, read anew each time. */
function identity({ database }: AuthorizationParts) {
  return {
    interactions: { url: (_ctx, interaction) => `${CONSENT}${publicNameOf(interaction.uid)}` },
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    async findAccount(_ctx, accountId, token) {
      const grantId = token && 'grantId' in token ? token.grantId : undefined;
      if (
        typeof grantId === 'string' &&
        !(await database.read((handle) => grantStands(handle, grantId)))
      )
        return undefined;
      return { accountId, claims: async () => ({ sub: accountId }) };
    },
  } satisfies Configuration;
}

function features(parts: AuthorizationParts, errors: LibraryErrors) {
  const resource = resourceOf(parts);
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    introspection: { enabled: false },
    dPoP: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: CLIENT_DOCUMENT_SECONDS,
      allowFetch: async (ctx) =>
        (await parts.limits.documents(contextOf(ctx.req).address)).admitted,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, _client, oneOf) => {
        const asked = oneOf && ([] as string[]).concat(oneOf);
        return asked && !asked.includes(resource) ? asked : resource;
      },
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget();
        return {
          scope: SCOPES.join(' '),
          audience: resource,
          accessTokenTTL: LIFE.access,
          accessTokenFormat: 'opaque',
        };
      },
    },
  } satisfies Configuration['features'];
}

function cookies({ publicUrl }: AuthorizationParts, keys: readonly string[]) {
  const secure = publicUrl().startsWith('https:');
  const named = (prefix: string, name: string) => `${secure ? prefix : ''}${name}`;
  const options = {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    signed: true,
    overwrite: true,
  } as const;
  return {
    keys,
    names: {
      session: named('__Host-', SESSION_COOKIE),
      // The library gives them the path of their one request, and `__Host-` wants the path `/`.
      interaction: named('__Secure-', 'tianguis_permiso'),
      resume: named('__Secure-', 'tianguis_vuelta'),
    },
    long: options,
    short: options,
  };
}

export const SESSION_COOKIE = 'tianguis_oauth';
