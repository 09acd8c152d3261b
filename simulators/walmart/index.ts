/**
 * Walmart México as its documents describe it, in either of its two generations, with the flaws
 * that are known.
 */
import { createHmac } from 'node:crypto';
import { createFaults, type Faults } from '../faults.ts';
import {
  type Call,
  type LoggedRequest,
  perMinuteLimit,
  Refusal,
  type Reply,
  type Routes,
  serve,
} from '../http.ts';
import { type Order, placedAt, stepAt } from '../order.ts';
import { createWorld, type World } from '../world.ts';
import { globalOrder, legacyOrder } from './documents.ts';
import { customerOrderId, type Generation, isWfs, lineWord, ownId, refundOf } from './facts.ts';
import { listRoutes } from './lists.ts';
import { openReplay } from './replay.ts';
import { returnsOf } from './returns.ts';
import { type Row, refusalReply, type Shop } from './shop.ts';

export interface WalmartOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  world?: World;
  port?: number;
  /**
   * The only one that the account has. Default: the one that a call asks for, by
   * `WM_GLOBAL_VERSION`.
   */
  generation?: Generation;
  clientId?: string;
  /** How long a token lives. */
  tokenSeconds?: number;
  /** A file or folder of JSON documents that are served instead of the world's orders. */
  replay?: string;
  /** Calls per minute of each API; more are answered with 429. */
  perMinute?: number;
  /** A page of orders has so many, even if a call asks for more. */
  pageRows?: number;
}

export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Walmart {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  credentials(): Credentials;
  /** Every token given out so far is too old; new ones are given. */
  expireTokens(): void;
  /** The seller made new keys: the former ones work no more. */
  revoke(): void;
  close(): Promise<void>;
}

/**
 * Global APIs are requested by their version; without one the account's older documents are
 * answered.
 */
function askedFor({ headers }: Call): Generation {
  return headers.wm_global_version ? 'global' : 'legacy';
}

const ALWAYS = { 'wm_svc.name': 'Walmart Marketplace', wm_market: 'mx' };
const ORDER_BASE = 100_000_000;
const REFILL_MS = 1_500;

export async function startWalmart(options: WalmartOptions = {}): Promise<Walmart> {
  const { seed = 'tianguis', clientId = '5f1c2d3e-tienda' } = options;
  const generationOf = (call: Call) => options.generation ?? askedFor(call);
  const usual = options.generation ?? 'global';
  const now = options.now ?? options.world?.now ?? Date.now;
  const world = options.world ?? createWorld({ seed, now, idBase: ORDER_BASE });
  const replay = options.replay ? await openReplay(options.replay) : null;
  const keys = createKeys({
    seed: String(seed),
    generationOf,
    usual,
    clientId,
    now,
    life: options.tokenSeconds ?? 900,
  });
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);
  const tooMany = (generation: Generation) =>
    refusalReply(
      generation,
      429,
      'REQUEST_THRESHOLD_VIOLATED.GMP_GATEWAY_API',
      'Too many requests',
    );

  function admit(call: Call): void {
    keys.admit(call);
    // Each API has a bucket of its own.
    if (limit(call.path.split('/')[2] ?? '')) return;
    const headers = {
      'X-Current-Token-Count': '0',
      'X-Next-Replenishment-Time': String(now() + REFILL_MS),
    };
    throw new Refusal({ ...tooMany(generationOf(call)), headers });
  }

  const shop: Shop = {
    world,
    generationOf,
    now,
    orders: (generation) =>
      replay?.orders[generation] ?? world.orders().map((order) => rowOf(order, generation, now())),
    pageRows: options.pageRows ?? Number.POSITIVE_INFINITY,
    returns: () => replay?.returns ?? world.orders().flatMap((order) => returnRows(order, now())),
    admit,
  };
  const faults = createFaults({
    seed,
    replies: { too_many: tooMany(usual), expired_token: keys.invalidToken },
    spared: /^\/v3\/token/,
  });
  const server = await serve({
    routes: { ...keys.routes, ...listRoutes(shop) },
    missing: refusalReply(usual, 404, 'NOT_FOUND.GMP_GATEWAY_API', 'Resource not found'),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });
  return {
    ...server,
    world,
    faults,
    credentials: keys.credentials,
    expireTokens: keys.expire,
    revoke: keys.revoke,
  };
}

interface KeyOptions {
  readonly seed: string;
  /** Of answers to no call in particular. */
  readonly usual: Generation;
  readonly clientId: string;
  readonly life: number;
  now(): number;
  generationOf(call: Call): Generation;
}

/** Keys, tokens, and the headers that every call must have. */
function createKeys({ seed, generationOf, usual, clientId, life, now }: KeyOptions) {
  let serial = 0;
  let expiredThrough = 0;
  let generationOfKeys = 0;
  const seen = new Set<string>();
  const sign = (text: string) => createHmac('sha256', seed).update(text).digest('hex').slice(0, 32);
  const credentials = () => ({
    client_id: clientId,
    client_secret: `AI${sign(`secret ${generationOfKeys}`)}`,
  });
  const refusal = (call: Call, status: number, code: string, text: string) =>
    new Refusal(refusalReply(generationOf(call), status, `${code}.GMP_GATEWAY_API`, text));
  const invalidToken = refusalReply(usual, 401, 'UNAUTHORIZED.GMP_GATEWAY_API', 'Unauthorized');

  function assertHeaders(call: Call): void {
    const { headers } = call;
    for (const [name, value] of Object.entries(ALWAYS))
      if (headers[name] !== value)
        throw refusal(call, 400, 'INVALID_REQUEST_HEADER', `${name} must be ${value}`);
    const correlation = headers['wm_qos.correlation_id'] ?? '';
    if (correlation === '' || seen.has(correlation))
      throw refusal(
        call,
        400,
        'INVALID_REQUEST_HEADER',
        'WM_QOS.CORRELATION_ID must be there, and new',
      );
    seen.add(correlation);
    const { client_id, client_secret } = credentials();
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    if (headers.authorization !== `Basic ${basic}`) throw new Refusal(invalidToken);
    // A request that does not ask for JSON gets XML.
    if (!headers.accept?.includes('application/json')) throw new Refusal(XML);
  }

  function admit(call: Call): void {
    assertHeaders(call);
    const [until, number, signature] = (call.headers['wm_sec.access_token'] ?? '').split('.');
    const isGenuine = signature === sign(`${until}.${number}`);
    const isAlive = Number(until) > now() && Number(number) > expiredThrough;
    if (!isGenuine || !isAlive) throw new Refusal(invalidToken);
  }

  function token(call: Call): Reply {
    assertHeaders(call);
    if (call.form().get('grant_type') !== 'client_credentials')
      throw refusal(call, 400, 'INVALID_REQUEST_PARAM', 'grant_type');
    serial += 1;
    const body = `${now() + life * 1_000}.${serial}`;
    return {
      body: { access_token: `${body}.${sign(body)}`, token_type: 'Bearer', expires_in: life },
    };
  }

  const routes: Routes = { 'POST /v3/token': token };
  return {
    routes,
    admit,
    credentials,
    invalidToken,
    expire: () => {
      expiredThrough = serial;
    },
    revoke: () => {
      generationOfKeys += 1;
      expiredThrough = serial;
    },
  };
}

const XML: Reply = {
  headers: { 'content-type': 'application/xml' },
  body: '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<ns2:list xmlns:ns2="http://walmart.com/"/>',
};

/** A list leaves most rows out by one of their facts, so each is found only when it is read. */
function rowOf(order: Order, generation: Generation, now: number): Row {
  return {
    get id() {
      return ownId(order, generation);
    },
    get customerOrderId() {
      return customerOrderId(order);
    },
    get isWfs() {
      return isWfs(order);
    },
    get createdAt() {
      return placedAt(order);
    },
    get changedAt() {
      const refundedAt = refundOf(order, now)?.at ?? 0;
      return Math.max(lineWord(order, now).at, refundedAt, stepAt(order, now).at);
    },
    get status() {
      return lineWord(order, now).status;
    },
    document: () => (generation === 'legacy' ? legacyOrder(order, now) : globalOrder(order, now)),
  };
}

function returnRows(order: Order, now: number): Row[] {
  return returnsOf(order, now).map(({ at, status, id, body }) => ({
    id,
    customerOrderId: customerOrderId(order),
    isWfs: isWfs(order),
    createdAt: at,
    changedAt: at,
    status,
    document: body,
  }));
}
