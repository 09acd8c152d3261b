/**
 * Paquetexpress as its integration documents describe it: one envelope for everything, sessions of
 * half a minute, dates in words. The listing of an account's shipments is in no document: this is
 * what we suppose of it.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type LoggedRequest, serve } from '../http.ts';
import { cents } from '../order.ts';
import { createWorld, type World } from '../world.ts';
import { refused } from './envelope.ts';
import { type Account, creditOf, guideRoutes } from './guides.ts';
import type { Parcel } from './parcel.ts';
import { openParcels, type ParcelSpec } from './parcels.ts';
import { openSessions } from './session.ts';
import { trackRoutes } from './tracks.ts';
import { openWebhooks, type Webhooks } from './webhooks.ts';

export interface PaquetexpressOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** A shop whose packed orders are sent with this carrier. */
  world?: World;
  port?: number;
  username?: string;
  /** How long a session lives. */
  sessionSeconds?: number;
  /** Prepaid, decimal text in MXN. */
  credit?: string;
  pageSize?: number;
  /** How long an hour in the life of a guide lasts that was requested here. */
  hour?: number;
}

export interface Paquetexpress {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly webhooks: Webhooks;
  credentials(): { username: string; token: string };
  /** What is left of the prepaid credit. */
  credit(): string;
  /** Everything documented by now, oldest first. */
  parcels(): readonly Parcel[];
  /** A parcel to which nothing happens by itself. */
  document(spec?: ParcelSpec): Parcel;
  happen(tracking: string, code: string, at?: number): void;
  /** How many calls of a path there were. */
  calls(path: RegExp): number;
  /** Every session opened so far is over. */
  expireTokens(): void;
  revoke(): void;
  close(): Promise<void>;
}

export async function startPaquetexpress(
  options: PaquetexpressOptions = {},
): Promise<Paquetexpress> {
  const { seed = 'tianguis', username = 'TIENDA01', pageSize = 50, hour = 3_600_000 } = options;
  const now = options.now ?? options.world?.now ?? Date.now;
  const world = options.world ?? createWorld({ seed: `paquetexpress/${seed}`, now });
  const account: Account = { credit: cents(options.credit ?? '25000.00') };
  const sessions = openSessions({
    seed: `paquetexpress/${seed}`,
    username,
    seconds: options.sessionSeconds ?? 30,
    now,
  });

  const { parcels, find, keep, document, happen } = openParcels(world, now);
  const faults = createFaults({
    seed,
    replies: {
      expired_token: refused('500', 'The Token has expired on Mon Nov 16 12:00:00 CST 2026.').reply,
    },
    spared: /loginv1|\/v1\/(cancel)?guia(\?|$)/,
  });
  const server = await serve({
    routes: {
      'POST /RadRestFul/api/rad/loginv1/login': sessions.logIn,
      ...guideRoutes({ sessions, now, hour, find, keep }, account),
      ...trackRoutes({ sessions, now, pageSize, find, parcels }),
    },
    missing: {
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<h1>HTTP Status 404</h1>',
    },
    through: faults.through,
    now,
    port: options.port ?? 0,
  });
  const webhooks = openWebhooks(parcels, now);
  return {
    url: server.url,
    requests: server.requests,
    world,
    faults,
    webhooks,
    credentials: sessions.credentials,
    credit: () => creditOf(account),
    parcels,
    document,
    happen,
    calls: (path) => server.requests.filter((request) => path.test(request.path)).length,
    expireTokens: sessions.expire,
    revoke: sessions.revoke,
    close: () => {
      webhooks.stop();
      return server.close();
    },
  };
}
