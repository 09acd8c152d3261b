import { CARRIERS } from '../carriers/contract.ts';
import { SERVICES } from '../carriers/registry.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { balanceTotals } from '../features/balances/index.ts';
import { countStates } from '../features/connections/index.ts';
import type { Quota } from '../features/quota/index.ts';
import { overdueTasks } from '../features/schedules/index.ts';
import type { Database } from '../platform/db/database.ts';
import type { Notices } from '../platform/db/notices.ts';
import type { Figure, Reading } from '../platform/metrics.ts';

/** Accounts whose balance was not read for longer are left out. */
const BALANCES_WITHIN = { hours: 48 };

/** What a process knows of itself. */
export function processFigures(
  database: Database,
  notices: Notices,
  { breakers }: Pick<ExchangeParts, 'breakers'>,
): Figure[] {
  return [
    {
      name: 'tianguis_database_connections',
      help: 'Open connections of each pool.',
      labels: ['pool', 'state'],
      read: () =>
        database.connections().flatMap(({ pool, busy, idle }) => [
          { labels: { pool, state: 'busy' }, value: busy },
          { labels: { pool, state: 'idle' }, value: idle },
        ]),
    },
    {
      name: 'tianguis_notices_up',
      help: 'Whether notices of other processes arrive; 0 = nothing is answered from memory.',
      labels: [],
      read: () => [{ labels: {}, value: Number(notices.isUp()) }],
    },
    {
      name: 'tianguis_breakers_open',
      help: 'Open circuit breakers, of the hosts that this process called.',
      labels: ['service', 'scope'],
      read: async () =>
        counted(await breakers.open(), ({ service, scope }) => ({ service, scope })),
    },
  ];
}

/** Of a process that answers requests. */
export function quotaFigure(quota: Quota): Figure {
  return {
    name: 'tianguis_quota_store_up',
    help: 'Whether the shared counters answer; 0 = each process admits its share.',
    labels: [],
    read: () => [{ labels: {}, value: Number(quota.isStoreUp()) }],
  };
}

/**
 * What the database knows of the whole installation: each process that works on jobs reports the
 * same.
 */
export function installationFigures({ database, queue, clock }: ExchangeParts): Figure[] {
  return [
    {
      name: 'tianguis_connections',
      help: 'Connected accounts by service and state.',
      labels: ['service', 'state'],
      read: async () =>
        (await database.read(countStates)).map(({ service, state, count }) => ({
          labels: { service, state },
          value: count,
        })),
    },
    {
      name: 'tianguis_schedules_overdue',
      help: 'Recurring tasks that are due and not claimed.',
      labels: ['task'],
      read: async () =>
        (await database.read((handle) => overdueTasks(handle, clock.now()))).map(
          ({ task, count }) => ({ labels: { task }, value: count }),
        ),
    },
    {
      name: 'tianguis_schedules_overdue_seconds',
      help: 'How long the recurring task that waits longest is due.',
      labels: ['task'],
      read: async () => {
        const now = clock.now();
        const tasks = await database.read((handle) => overdueTasks(handle, now));
        return tasks.map(({ task, oldest }) => ({
          labels: { task },
          value: oldest.until(now).total('seconds'),
        }));
      },
    },
    {
      name: 'tianguis_queue_jobs',
      help: 'Jobs by queue; ready = could begin now.',
      labels: ['queue', 'state'],
      read: async () =>
        (await queue.depths()).flatMap(({ name, ready, delayed, active }) => [
          { labels: { queue: name, state: 'ready' }, value: ready },
          { labels: { queue: name, state: 'delayed' }, value: delayed },
          { labels: { queue: name, state: 'active' }, value: active },
        ]),
    },
    {
      name: 'tianguis_queue_wait_seconds',
      help: 'How long the job that waits longest could have begun.',
      labels: ['queue'],
      read: async () =>
        (await queue.depths()).map(({ name, waitSeconds }) => ({
          labels: { queue: name },
          value: waitSeconds,
        })),
    },
    ...balanceFigures({ database, clock }),
  ];
}

/** Sums over all organisations: a balance of one account would be its seller's. */
function balanceFigures({ database, clock }: Pick<ExchangeParts, 'database' | 'clock'>): Figure[] {
  const totals = () =>
    database.read((handle) =>
      balanceTotals(handle, SERVICES, clock.now().subtract(BALANCES_WITHIN)),
    );
  return [
    {
      name: 'tianguis_balance',
      help: 'Sum of the balances that services report, over all accounts.',
      labels: ['service', 'currency', 'field'],
      read: async () =>
        (await totals()).flatMap(({ service, currency, balance, available, credit_limit }) =>
          Object.entries({ balance, available, credit_limit }).flatMap(([field, amount]) =>
            // Prometheus has no decimals.
            amount === null
              ? []
              : [{ labels: { service, currency, field }, value: Number(amount) }],
          ),
        ),
    },
    {
      name: 'tianguis_balance_least_available',
      help: 'The smallest available balance of an account at a carrier, which guides are paid from.',
      labels: ['service', 'currency'],
      read: async () =>
        (await totals())
          .filter(({ service }) => (CARRIERS as readonly string[]).includes(service))
          .flatMap(({ service, currency, least_available: least }) =>
            least === null ? [] : [{ labels: { service, currency }, value: Number(least) }],
          ),
    },
  ];
}

function counted<Item>(
  items: readonly Item[],
  labelsOf: (item: Item) => Record<string, string>,
): Reading[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(labelsOf(item)));
  return [...groups].map(([labels, { length }]) => ({ labels: JSON.parse(labels), value: length }));
}
