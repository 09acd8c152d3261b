import { type Charge, type CountingParts, openCharge } from '../entrances/guard.ts';
import { openMcp } from '../entrances/mcp/app.ts';
import { ownerOfToken } from '../entrances/mcp/guard.ts';
import { allowedFrom } from '../entrances/mcp/origins.ts';
import { resourceOf } from '../entrances/oauth/provider.ts';
import { openRest } from '../entrances/rest/app.ts';
import { ownerOfKey } from '../entrances/rest/guard.ts';
import { MANAGE } from '../entrances/rest/manage/manage.ts';
import { V1 } from '../entrances/rest/v1.ts';
import type { Surface } from '../entrances/surface.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { type FreshnessMemory, openFreshnessMemory } from '../features/connections/index.ts';
import { openAgentAccessCache, openCallRecorder } from '../features/grants/index.ts';
import { openAccessCache } from '../features/keys/index.ts';
import type { ClockCache } from '../features/orders/index.ts';
import type { EventClocks } from '../features/webhooks-out/index.ts';
import { isApiKey } from '../platform/api-key.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { CursorMaker } from '../platform/cursor.ts';
import type { Database } from '../platform/db/database.ts';
import type { Notices } from '../platform/db/notices.ts';
import type { Log } from '../platform/log.ts';
import type { Addresses } from './addresses.ts';
import type { Closers } from './closers.ts';

interface ApiParts extends CountingParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  readonly cursors: CursorMaker;
  readonly clocks: ClockCache;
  readonly notices: Notices;
  readonly exchange: ExchangeParts;
  readonly eventClocks: EventClocks;
  readonly addresses: Addresses;
}

interface Apis {
  readonly rest: Surface;
  readonly manage: Surface;
  readonly mcp: Surface;
  /** The address that tokens of agents are for. */
  readonly resource: () => string;
  readonly charge: Charge;
  readonly freshness: FreshnessMemory;
}

/** The surfaces for programs, which come with a key or with the token of an agent. */
export async function openApis(
  settings: Config['settings'],
  parts: ApiParts,
  closers: Closers,
): Promise<Apis> {
  const { notices, exchange, eventClocks, addresses, ...reading } = parts;
  const { database, clock, log } = reading;
  const { publicUrl, mcpUrl } = addresses;
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const keys = openAccessCache(database, notices, clock, warn('key use not written'));
  closers.add(keys.close);
  const serving = { ...reading, access: keys, publicUrl, exchange, eventClocks };
  const rest = await openRest(serving, V1);
  const manage = await openRest(serving, MANAGE);

  const freshness = openFreshnessMemory(clock);
  const resource = () => resourceOf({ mcpUrl });
  const tokens = { access: openAgentAccessCache(database, notices), clock, resource };
  const charge = openCharge(reading, log, (credential) =>
    isApiKey(credential)
      ? ownerOfKey({ access: keys, clock }, credential)
      : ownerOfToken(tokens, credential),
  );
  const recorder = openCallRecorder(database, clock, warn('agent calls not written'));
  closers.add(recorder.close);
  const mcp = openMcp({
    ...reading,
    ...tokens,
    publicUrl,
    charge,
    recorder,
    freshness,
    allowed: once(() =>
      allowedFrom([publicUrl(), mcpUrl()], {
        hosts: settings.apiHosts,
        origins: settings.mcpOrigins,
      }),
    ),
  });
  return { rest, manage, mcp, resource, charge, freshness };
}

/** Makes a value at its first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
