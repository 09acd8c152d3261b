import { cfdiDownloads } from '../entrances/cfdi-downloads.ts';
import { consentReturn } from '../entrances/connect/consent.ts';
import { docsSurface } from '../entrances/docs/docs.ts';
import { downloadSurface } from '../entrances/downloads/surface.ts';
import type { Charge } from '../entrances/guard.ts';
import { healthSurfaces } from '../entrances/health.ts';
import { openAuthorizationServer } from '../entrances/oauth/server.ts';
import { panelSurfaces } from '../entrances/panel/app.ts';
import { peopleSurfaces } from '../entrances/people/surfaces.ts';
import { carrierEventReceivers } from '../entrances/receivers/carrier-events.ts';
import { pushReceiver } from '../entrances/receivers/webhooks.ts';
import { MANAGE } from '../entrances/rest/manage/manage.ts';
import { openApiDocument } from '../entrances/rest/openapi.ts';
import type { Api } from '../entrances/rest/operation.ts';
import { V1 } from '../entrances/rest/v1.ts';
import type { Surface } from '../entrances/surface.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import type { ClockCache } from '../features/orders/index.ts';
import { openPeople, type People } from '../features/people/index.ts';
import { openQuota, openUsageRecorder, type Quota } from '../features/quota/index.ts';
import type { EventClocks } from '../features/webhooks-out/index.ts';
import type { Config } from '../platform/config.ts';
import { cursorMaker } from '../platform/cursor.ts';
import type { Database } from '../platform/db/database.ts';
import type { Notices } from '../platform/db/notices.ts';
import { openPostbox } from '../platform/mail.ts';
import type { Keyring } from '../platform/seal.ts';
import type { Addresses } from './addresses.ts';
import { openApis } from './apis.ts';
import type { Closers } from './closers.ts';
import type { Runtime } from './runtime.ts';

const DOCUMENT_NAMES: Readonly<Record<Api['path'], string>> = {
  '/v1': 'API REST v1',
  '/manage/v1': 'API de administración v1',
};

/** The parts that the HTTP server answers from. */
export interface ServerParts {
  readonly database: Database;
  readonly checkReady: () => Promise<void>;
  readonly notices: Notices;
  readonly clocks: ClockCache;
  readonly eventClocks: EventClocks;
  readonly exchange: ExchangeParts;
  readonly keyring: Keyring;
  readonly addresses: Addresses;
}

/** The HTTP surfaces, and the parts of the front that belong to them. */
interface Surfaces {
  readonly surfaces: readonly Surface[];
  readonly quota: Quota;
  readonly charge: Charge;
  readonly people: People;
}

interface SurfaceParts extends ServerParts {
  readonly isDraining: () => boolean;
}

/** Opens every surface of the HTTP server: REST, MCP, OAuth, receivers, pages and health checks. */
export async function openSurfaces(
  { settings, secrets }: Config,
  { clock, log, passwordCost }: Runtime,
  parts: SurfaceParts,
  closers: Closers,
): Promise<Surfaces> {
  const { database, checkReady, notices, clocks, eventClocks } = parts;
  const { exchange, keyring, addresses, isDraining } = parts;
  const { publicUrl, mcpUrl } = addresses;
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const { quotaWindowSeconds: windowSeconds, secondFactor } = settings;
  const quota = await openQuota({
    clock,
    windowSeconds,
    redisUrl: secrets.redisUrl,
    onError: warn('quota store away'),
    onSpent: (admitted) => exchange.metrics.quota.inc({ admitted: admitted ? 'yes' : 'no' }),
  });
  closers.add(quota.close);
  const usage = openUsageRecorder(database, clock, warn('usage not written'));
  closers.add(usage.close);
  const reading = { quota, usage, clock, database, cursors: cursorMaker(keyring), clocks, log };
  const apis = await openApis(
    settings,
    { ...reading, notices, exchange, eventClocks, addresses },
    closers,
  );
  const { resource, charge, freshness } = apis;

  const postbox = openPostbox(exchange.queue, keyring);
  const pageParts = { database, clock, log, postbox, publicUrl, cursors: reading.cursors };
  const people = await openPeople({
    ...pageParts,
    keyring,
    secondFactor,
    passwordCost,
    queue: exchange.queue,
  });
  closers.add(people.close);
  const published = () => publishedDocuments(publicUrl(), settings);
  const surfaces = [
    ...healthSurfaces({ checkReady, isDraining }),
    apis.rest,
    apis.manage,
    cfdiDownloads(reading),
    downloadSurface({ database, clock, log, cursors: reading.cursors }),
    apis.mcp,
    docsSurface({ log, operator: settings, publicUrl, resource, published }),
    pushReceiver(exchange, quota),
    ...carrierEventReceivers(exchange, notices, quota),
    consentReturn(exchange, people),
    ...panelSurfaces({ ...pageParts, people, exchange, clocks, freshness, quota }),
    ...peopleSurfaces({ ...pageParts, people, queue: exchange.queue }),
    ...openAuthorizationServer({
      ...pageParts,
      people,
      keyring,
      quota,
      mcpUrl,
      network: exchange.network,
      clientDocumentsAt: settings.baseUrls.client_documents ?? null,
    }),
  ];
  return { surfaces, quota, charge, people };
}

function publishedDocuments(publicUrl: string, settings: Config['settings']) {
  return [V1, MANAGE].map((api) => ({
    path: api.path,
    name: DOCUMENT_NAMES[api.path],
    document: openApiDocument(api, publicUrl, settings),
  }));
}
