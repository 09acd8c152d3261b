import { queueDeliveries } from '../../exchange/deliver/deliver-job.ts';
import { connectionOf, jobOf, syncJobOf } from '../../exchange/jobs/due-job.ts';
import { JOBS, RECURRING } from '../../exchange/jobs/index.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { queueCarrierEvents } from '../../exchange/webhooks/queue-carrier-events.ts';
import { HandedBack } from '../../exchange/wire/errors.ts';
import { servicesOf } from '../../features/connections/index.ts';
import { mailAlerts } from '../../features/people/index.ts';
import {
  CLAIM_AT_ONCE,
  claimDue,
  type DueTask,
  INSTANCE,
  putRight,
  schedule,
} from '../../features/schedules/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
import { refreshStatistics } from '../../platform/db/statistics.ts';
import { Failure } from '../../platform/failure.ts';
import type { RunnableJob } from '../../platform/job.ts';
import type { Log } from '../../platform/log.ts';
import { openPostbox } from '../../platform/mail.ts';
import { traced } from '../../platform/traces.ts';
import { pathOf } from '../navigation.ts';
import { untilStopped } from './hand-back.ts';
import { keepRemovals } from './keep-removals.ts';

export interface Worker {
  /** Claims what is due and hands it to the queue. @returns how many tasks. */
  tick(): Promise<number>;
  /** No more ticks; walks end between two pages and are handed back. */
  stop(): void;
}

const TICK_MS = 1_000;
/** How often it is looked whether the planner's statistics still fit. */
const LOOK_MS = 5_000;
const HOUSEKEEPING_SECONDS = 3_600;
/**
 * After a long stop everything is due; a tick ends at last, so that the next one sees a change of
 * the clock.
 */
const MOST_BATCHES = 100;

/** Searches of all organisations' tables. One that fails stops no recurring task. */
const SEARCHES = [queueCarrierEvents, queueDeliveries];

/** Works on jobs, and ticks: what is due becomes a job in the transaction that claims it. */
export async function openWorker(parts: ExchangeParts): Promise<Worker> {
  const { database, queue, clock } = parts;
  const stopping = new AbortController();
  const stoppableParts = { ...parts, isStopping: () => stopping.signal.aborted };
  const interruptibleParts = untilStopped(stoppableParts, stopping.signal);
  for (const job of JOBS) {
    const partsOfJob = job.isResumable ? interruptibleParts : stoppableParts;
    queue.work(job, (payload) => workOn(partsOfJob, job, payload));
  }
  await database
    .within(INSTANCE)
    .write((scope) => schedule(scope, 'housekeeping', 'all', HOUSEKEEPING_SECONDS, clock.now()));

  const postbox = openPostbox(queue, parts.keyring);
  const tick = async () => {
    const claimed = await planDue(parts);
    // A journal that cannot be written, for lack of space say, keeps back no mail about an alert.
    await keepRemovals(parts).finally(() => mailAlerts({ ...parts, postbox, pathFor: pathOf }));
    return claimed;
  };
  const stopTicking = everyInTurn(parts, TICK_MS, tick);
  const stopLooking = everyInTurn(parts, LOOK_MS, () => refreshStatistics(database));
  return {
    tick,
    stop() {
      stopTicking();
      stopLooking();
      stopping.abort();
    },
  };
}

/**
 * Makes jobs of all that is due, batch after batch, each with its claims in one transaction.
 * @returns how many tasks were claimed
 */
export async function planDue(parts: ExchangeParts): Promise<number> {
  const { database } = parts;
  const searched = await Promise.allSettled(SEARCHES.map((search) => search(parts)));
  let claimed = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await database.write((handle) => planBatch(parts, handle));
    claimed += count;
    if (count < CLAIM_AT_ONCE) break;
  }
  const failed = searched.find((search) => search.status === 'rejected');
  if (failed) throw failed.reason;
  return claimed;
}

async function planBatch(parts: ExchangeParts, handle: WriteHandle): Promise<number> {
  const { queue, clock } = parts;
  await putRight(handle, clock.now());
  const due = await claimDue(handle, clock.now());
  const services = await servicesOf(handle, due.filter(isSync).map(connectionOf));
  for (const [kind, tasks] of Map.groupBy(due, ({ task }) => RECURRING[task])) {
    const jobs = tasks.map((task) =>
      isSync(task) ? syncJobOf(task, services.get(connectionOf(task)) ?? 'unknown') : jobOf(task),
    );
    await queue.enqueueAll(handle, kind, jobs);
  }
  return due.length;
}

function isSync({ task }: DueTask): boolean {
  return task === 'sync';
}

/** Works on one job, and notes how it ended. */
async function workOn(
  parts: ExchangeParts,
  job: RunnableJob<ExchangeParts>,
  payload: unknown,
): Promise<object | null> {
  const { clock, log, metrics } = parts;
  const { name: queue } = job;
  const startedAt = clock.monotonic();
  const note = (outcome: string) =>
    metrics.jobs.observe({ queue, outcome }, (clock.monotonic() - startedAt) / 1000);
  try {
    const output = await traced(`job ${queue}`, {}, () => job.work(parts, payload));
    const milliseconds = Math.round(clock.monotonic() - startedAt);
    log.of('jobs').info({ queue, milliseconds }, 'job done');
    note('done');
    return output;
  } catch (error) {
    note(noteEnd(log, queue, error));
    throw error;
  }
}

/** Logs how a job ended that threw. @returns the outcome for the metrics */
function noteEnd(log: Log, queue: string, error: unknown): string {
  if (error instanceof HandedBack) {
    log.of('jobs').info({ queue }, 'job handed back');
    return 'handed_back';
  }
  if (isRefusal(error)) {
    log.of('jobs').info({ queue, code: error.code }, 'job refused');
    return 'refused';
  }
  log.of('jobs').error({ queue, err: error }, 'job failed');
  return 'failed';
}

/**
 * What a person asked for and a rule does not allow, such as credentials with a typing error: reported
 * to them, no defect.
 */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.status < 500;
}

/** Again and again; one that takes longer is not begun anew meanwhile. */
function everyInTurn(
  { clock, log }: ExchangeParts,
  milliseconds: number,
  work: () => Promise<unknown>,
) {
  let running = false;
  return clock.every(milliseconds, () => {
    if (running) return;
    running = true;
    work()
      .catch((error) => log.of('jobs').warn({ err: error }, 'tick failed'))
      .finally(() => {
        running = false;
      });
  });
}
