import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { type Front, openFront } from '../../src/entrances/front.ts';
import { contextOf, sendJson } from '../../src/entrances/http.ts';
import { openAuthorizationServer } from '../../src/entrances/oauth/server.ts';
import type { Surface } from '../../src/entrances/surface.ts';
import { configOf } from '../../src/environment.ts';
import { type AgentAccessCache, openAgentAccessCache } from '../../src/features/grants/index.ts';
import { effectiveTerms } from '../../src/features/organizations/index.ts';
import type { Role } from '../../src/features/people/index.ts';
import { openQuota } from '../../src/features/quota/index.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { fail } from '../../src/platform/failure.ts';
import type { Log } from '../../src/platform/log.ts';
import { openNetwork } from '../../src/platform/network.ts';
import type { Keyring } from '../../src/platform/seal.ts';
import { openApp, type TestApp } from './app.ts';
import { type Browser, openBrowser } from './browser.ts';
import type { TurnedClock } from './clock.ts';
import { logInto } from './log.ts';

/**
 * The authorization server of an instance, with people of the test's own, and an endpoint that asks for
 * its tokens.
 */
export interface AgentStage {
  readonly at: TestApp;
  readonly url: string;
  readonly resource: string;
  readonly clock: TurnedClock;
  /** Everything that was logged, as text. */
  readonly logged: () => string;
  person(role?: Role, organizationId?: string): Promise<Person>;
  join(personId: string, organizationId: string, role: Role): Promise<void>;
  /** Status of a call with this token at the stand-in of the agent endpoint. */
  call(token: string): Promise<number>;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly browser: Browser;
}

interface StageOptions {
  readonly clientDocumentsAt?: string;
  /** An open instance. */
  readonly on?: TestApp;
  /** Whether its database is away now. */
  readonly isDown?: () => boolean;
  /** What it believes its address to be; default: where it is reached. */
  readonly publicUrl?: string;
  /** Another process of the same installation. */
  readonly beside?: AgentStage;
  /** Where several processes count. */
  readonly redisUrl?: string;
}

const WITHOUT_FACTOR = { hasSecondFactor: false, factorUsedAt: null, passwordGivenAt: null };
/** A plain cookie names the signed-in person. */
const PERSON_COOKIE = 'persona';

export async function openAgentStage(
  t: Pick<TestContext, 'after'>,
  options: StageOptions = {},
): Promise<AgentStage> {
  const at = options.beside?.at ?? options.on ?? (await openApp(t));
  const lines: string[] = [];
  const { own, url } = await openServer(t, at, options, logInto(lines));
  return {
    at,
    url: own,
    resource: `${url}/mcp`,
    clock: at.clock,
    logged: () => lines.join('\n'),
    ...peopleOf(at),
    call: async (token) =>
      (await fetch(`${own}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` } }))
        .status,
  };
}

/** Where it is reached, and what it believes its address to be. */
interface Reached {
  readonly own: string;
  readonly url: string;
}

async function openServer(
  t: Pick<TestContext, 'after'>,
  at: TestApp,
  options: StageOptions,
  log: Log,
): Promise<Reached> {
  const { clock } = at;
  const { settings, secrets } = configOf(at.env);
  const database = openDatabase({
    address: at.app.database.address,
    clock,
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  const notices = await openNotices(database, () => {});
  const network = openNetwork();
  const quota = await openQuota({
    clock,
    windowSeconds: 60,
    redisUrl: options.redisUrl ?? null,
    onError: () => {},
  });
  let url = '';
  const access = openAgentAccessCache(database, notices);
  const front: Front = await openFront({
    settings,
    clock,
    quota,
    charge: async () => {},
    log,
    metrics: at.app.exchange.metrics,
    surfaces: [
      ...openAuthorizationServer({
        people: {
          signedIn: async (headers) => personOf(at, headers),
          isOwnOrigin: (origin) => origin === new URL(url).origin,
          factorLack: () => null,
        },
        database: options.isDown ? failing(database, options.isDown) : database,
        clock,
        log,
        keyring: secrets.keyring as Keyring,
        network,
        quota,
        publicUrl: () => url,
        mcpUrl: () => url,
        clientDocumentsAt: options.clientDocumentsAt ?? null,
      }),
      endpoint(access, clock, () => `${url}/mcp`),
    ],
  });
  const own = `http://localhost:${front.port}`;
  url = options.publicUrl ?? options.beside?.url ?? own;
  t.after(async () => {
    await front.close();
    await quota.close();
    await network.close();
    await notices.close();
    await database.close();
  });
  return { own, url };
}

/** People of the test's own, in the database of the instance. */
function peopleOf(at: TestApp): Pick<AgentStage, 'sql' | 'join' | 'person'> {
  const { clock } = at;
  const sql = (text: string, values: unknown[] = []) =>
    at.app.database.write((handle) => handle.sql(text, values)) as Promise<
      Record<string, unknown>[]
    >;
  const join = async (personId: string, organizationId: string, role: Role) => {
    await sql(
      'insert into members (organization_id, person_id, role, created_at) values ($1, $2, $3, $4)',
      [organizationId, personId, role, clock.now().toString()],
    );
  };
  return {
    sql,
    join,
    async person(role = 'owner', organizationId = at.organization.id) {
      const [id, name] = [randomUUID(), 'Ana Ruiz'];
      await sql(
        `insert into people (id, name, email, email_verified, created_at, updated_at)
         values ($1, $2, $3, true, $4, $4)`,
        [id, name, `${id}@tienda.example`, clock.now().toString()],
      );
      await join(id, organizationId, role);
      return { id, name, browser: openBrowser(`${PERSON_COOKIE}=${id}`) };
    },
  };
}

function failing(database: Database, isDown: () => boolean): Database {
  const refuse = () =>
    Promise.reject(fail('service_unavailable', { headers: { 'retry-after': '1' } }));
  return {
    ...database,
    read: (work, options) => (isDown() ? refuse() : database.read(work, options)),
    write: (work) => (isDown() ? refuse() : database.write(work)),
  };
}

async function personOf(at: TestApp, headers: IncomingHttpHeaders) {
  const id = new RegExp(`${PERSON_COOKIE}=([0-9a-f-]{36})`).exec(headers.cookie ?? '')?.[1];
  if (!id) return null;
  const [row] = (await at.app.database.write((handle) =>
    handle.sql('select id, name, email from people where id = $1', [id]),
  )) as { id: string; name: string; email: string }[];
  return row ? { ...row, ...WITHOUT_FACTOR } : null;
}

function endpoint(access: AgentAccessCache, clock: TurnedClock, resource: () => string): Surface {
  const answer = async (authorization: string) => {
    const found = await access.find(authorization.replace(/^Bearer /, ''));
    if (!found || found.audience !== resource()) return { status: 401, body: {} };
    if (Temporal.Instant.compare(found.expiresAt, clock.now()) <= 0)
      return { status: 401, body: {} };
    return {
      status: effectiveTerms(found.organization).api ? 200 : 403,
      body: { scopes: found.scopes },
    };
  };
  return {
    prefix: '/mcp',
    handle(request, response) {
      answer(String(request.headers.authorization ?? '')).then(
        ({ status, body }) => sendJson(response, status, JSON.stringify(body)),
        () => sendJson(response, 500, JSON.stringify({ id: contextOf(request).id })),
      );
    },
  };
}
