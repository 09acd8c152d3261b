import { JOBS } from '../../exchange/jobs/index.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { HandedBack } from '../../exchange/wire/errors.ts';
import { mailAlerts } from '../../features/people/index.ts';
import { INSTANCE, schedule } from '../../features/schedules/index.ts';
import { refreshStatistics } from '../../platform/db/statistics.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { openPostbox } from '../../platform/mail.ts';
import { traced } from '../../platform/traces.ts';
import { pathOf } from '../navigation.ts';
import { untilStopped } from './hand-back.ts';
import { keepRemovals } from './keep-removals.ts';
import { planDue } from './plan-due.ts';

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

/** Works on jobs, and ticks: what is due becomes a job in the transaction that claims it. */
export async function openWorker(parts: ExchangeParts): Promise<Worker> {
  const { database, queue, clock, log, metrics } = parts;
  const stopping = new AbortController();
  const stoppableParts = { ...parts, isStopping: () => stopping.signal.aborted };
  const interruptibleParts = untilStopped(stoppableParts, stopping.signal);
  for (const job of JOBS) {
    const { name } = job;
    queue.work(job, async (payload) => {
      const startedAt = clock.monotonic();
      const note = (outcome: string) =>
        metrics.jobs.observe({ queue: name, outcome }, (clock.monotonic() - startedAt) / 1000);
      try {
        const output = await traced(`job ${name}`, {}, () =>
          job.work(job.isResumable ? interruptibleParts : stoppableParts, payload),
        );
        log
          .of('jobs')
          .info(
            { queue: name, milliseconds: Math.round(clock.monotonic() - startedAt) },
            'job done',
          );
        note('done');
        return output;
      } catch (error) {
        note(noteEnd(log, name, error));
        throw error;
      }
    });
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
