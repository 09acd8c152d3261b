import { join } from 'node:path';
import { JOBS } from '../exchange/jobs/index.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { measureDelay } from '../exchange/sync/measure-delay.ts';
import { openPageStore } from '../exchange/sync/store-page.ts';
import { openNotificationBudget } from '../exchange/webhooks/notification-budget.ts';
import { alertUnknownStatus, announceOrders } from '../features/order-events/index.ts';
import { alongside, indexOrders, type OrderListener } from '../features/orders/index.ts';
import { JOURNAL } from '../features/removals/index.ts';
import { sumSales } from '../features/sales/index.ts';
import { relatingOrders } from '../features/shipments/index.ts';
import { stageOrders } from '../features/warehouse/index.ts';
import { openBreakers } from '../platform/breaker.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { openMailer } from '../platform/mail.ts';
import type { Metrics } from '../platform/metrics.ts';
import { openNetwork } from '../platform/network.ts';
import { openQueue } from '../platform/queue.ts';
import { createThrottle } from '../platform/throttle.ts';
import type { Closers } from './closers.ts';
import { NO_MASTER_KEY, type Runtime, StartError } from './runtime.ts';

const JOBS_GRACE_MS = 10_000;

/** The consequences of every change of an order, for all its recorders. */
export function listenersWith(given: readonly OrderListener[]): readonly OrderListener[] {
  return [
    relatingOrders(alongside(...given, sumSales, indexOrders, alertUnknownStatus, stageOrders)),
  ];
}

interface ServiceOptions {
  /** Whether this process works on jobs. */
  readonly works: boolean;
  /** Evaluated when it is needed: the system may choose the port. */
  readonly publicUrl: () => string;
  readonly metrics: Metrics;
}

/** Opens the connectors' calls, their limits and the queue. */
export async function openServices(
  { settings, secrets }: Config,
  runtime: Runtime,
  database: Database,
  { works, publicUrl, metrics }: ServiceOptions,
  closers: Closers,
): Promise<ExchangeParts> {
  const { clock, log } = runtime;
  if (!secrets.keyring) throw new StartError(NO_MASTER_KEY);
  const onLimitsError = (error: unknown) => log.warn({ err: error }, 'shared limits away');
  // The Redis driver is loaded only where Redis is configured.
  const shared = secrets.redisUrl
    ? (await import('../platform/shared-limits.ts')).openSharedLimits(
        secrets.redisUrl,
        clock,
        onLimitsError,
      )
    : null;
  if (shared) closers.add(shared.close);
  const network = openNetwork();
  closers.add(network.close);
  const mailer = openMailer({
    smtpUrl: secrets.smtpUrl,
    from: settings.mailFrom,
    replyTo: settings.supportEmail,
    folder: join(settings.dataDir, 'mail'),
    clock,
  });
  closers.add(mailer.close);
  const onError = (error: unknown) => log.warn({ err: error }, 'queue error');
  const queue = await openQueue({
    database,
    rules: JOBS,
    migrate: settings.migrate,
    worker: works,
    onError,
  });
  closers.add(() => queue.close(JOBS_GRACE_MS));
  const following = {
    orderListeners: listenersWith([]),
    announce: alongside(announceOrders, measureDelay(metrics)),
  };
  return {
    ...runtime,
    metrics,
    database,
    queue,
    keyring: secrets.keyring,
    mailer,
    network,
    throttle: createThrottle(clock, shared?.meter),
    breakers: openBreakers(clock, shared?.breakerStates),
    applications: secrets.applications,
    baseUrls: settings.baseUrls,
    guideUrls: settings.guideUrls,
    satUrl: settings.satUrl,
    removalsFile: secrets.databaseUrl ? null : join(settings.dataDir, JOURNAL),
    documentsDays: settings.documentsDays,
    rerenderHours: settings.rerenderHours,
    get publicUrl() {
      return publicUrl();
    },
    ...following,
    pages: openPageStore({ database, clock, ...following }),
    notificationBudget: openNotificationBudget({ database, clock }),
    isStopping: () => false,
  };
}
