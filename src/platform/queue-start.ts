import { setTimeout as pause } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import type { Address, Database } from './db/database.ts';
import { grantRows } from './db/grants.ts';
import { asOwner } from './db/migrate.ts';
import type { QueueRule } from './job.ts';

export const SCHEMA = 'queue';
/** The name of their connections at the database. */
export const QUEUE_SESSIONS = 'tianguis-queue';
export const HEARTBEAT_SECONDS = 10;
export const LONGEST_JOB_SECONDS = 6 * 3600;
const LONGEST_WAIT_SECONDS = 600;
const ASK_AGAIN_MS = 200;

export interface QueueOptions {
  readonly database: Database;
  readonly rules: readonly QueueRule[];
  readonly migrate: boolean;
  /** Whether this process works on jobs; one that does not only enqueues. */
  readonly worker: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Starts pg-boss with the queues of these rules. With `migrate` its schema is installed where that
 * is missing or older.
 * @throws Error where the database cannot be used
 */
export async function startBoss(options: QueueOptions): Promise<PgBoss> {
  const boss = options.migrate ? await beginOrInstall(options) : await begin(options);
  await updateQueues(boss, options.rules);
  return boss;
}

/** Most starts find a complete schema: these open no connection for its installation. */
async function beginOrInstall(options: QueueOptions): Promise<PgBoss> {
  const begun = await begin(options).catch(() => null);
  if (begun && !(await isBuilding(begun))) return begun;
  await begun?.stop({ graceful: false, close: true });
  // A failure for another reason than the schema comes again here.
  await install(options);
  return begin(options);
}

/** @throws Error where pg-boss's schema is missing, not readable or of another version */
async function begin({ database, worker, onError }: QueueOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    ...connectionOf(database.address),
    max: worker ? 4 : 2,
    application_name: QUEUE_SESSIONS,
    schema: SCHEMA,
    migrate: false,
    schedule: false,
    supervise: worker,
    // A killed worker's job is found out within heartbeat + this.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: false,
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', onError);
  try {
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false, close: true });
    throw error;
  }
}

/** Brings pg-boss's own schema up to date, with the indexes that it builds afterwards. */
function install({ database, onError }: QueueOptions): Promise<void> {
  return asOwner(database, async (client) => {
    const boss = new PgBoss({
      ...connectionOf(database.owner),
      max: 2,
      application_name: QUEUE_SESSIONS,
      schema: SCHEMA,
      migrate: true,
      schedule: false,
      supervise: false,
      bamIntervalSeconds: 10,
      useListenNotify: false,
    });
    boss.on('error', onError);
    await boss.start();
    while (await isBuilding(boss)) await pause(ASK_AGAIN_MS);
    await boss.stop({ graceful: false, close: true });
    await grantRows(client, database, SCHEMA);
  });
}

async function isBuilding(boss: PgBoss): Promise<boolean> {
  const builds = await boss.getBamStatus();
  return builds.some(({ status }) => status === 'pending' || status === 'in_progress');
}

/**
 * Makes the queues that are missing and brings the others up to date; most starts find nothing to
 * do.
 */
async function updateQueues(boss: PgBoss, rules: readonly QueueRule[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, retries, longestWaitSeconds = LONGEST_WAIT_SECONDS } of rules) {
    const settings = {
      retryLimit: retries,
      retryBackoff: true,
      retryDelay: 2,
      retryDelayMax: longestWaitSeconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: LONGEST_JOB_SECONDS,
      deleteAfterSeconds: 24 * 3600,
      notify: false,
    };
    const queue = known.get(name);
    if (!queue) await boss.createQueue(name, { ...settings, policy });
    else if (
      Object.entries(settings).some(([key, value]) => queue[key as keyof typeof settings] !== value)
    )
      await boss.updateQueue(name, settings);
  }
}

function connectionOf(address: Address) {
  return 'url' in address ? { connectionString: address.url } : { ...address };
}
