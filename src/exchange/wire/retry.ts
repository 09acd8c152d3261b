import type { CallRequest, WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { tryOnce } from './attempt.ts';
import type { CallState } from './call-state.ts';
import { PATIENT } from './patience.ts';

const FIRST_WAIT_MS = 500;
/** A pause up to this long is no failure, whether it is waited for or not. */
const SHORT_PAUSE_MS = 60_000;

/**
 * Sends a request until there is an answer, or the attempts or the patience are used up. Not
 * `platform/retry.ts`: an attempt that may be repeated returns its error and the wait that the
 * service asked for; what it throws is final.
 */
export async function ask<Credentials, T>(
  state: CallState<Credentials>,
  request: CallRequest,
  read: (answer: WireAnswer) => T,
): Promise<T> {
  const { wire, caller, patience } = state;
  const { slug } = caller.connector;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(state, request, read, { isRetry: attempt > 1 });
    if ('value' in outcome) return outcome.value;
    const { error } = outcome;
    if (attempt === patience.tries || request.once || error.since) throw error;
    const wait = outcome.wait ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + wire.random());
    // A long pause is not waited for here: the stream is put off instead.
    if (wait > patience.retryWait()) throw putOff(state, error, wait);
    wire.log
      .of('wire')
      .debug({ marketplace: slug, attempt, wait, status: error.status }, 'retrying');
    await wire.clock.sleep(wait, caller.signal);
  }
}

/** A short pause that this step does not wait for is no failure. */
function putOff<Credentials>(
  { caller, patience }: CallState<Credentials>,
  error: UpstreamError,
  wait: number,
): UpstreamError {
  if (error.kind !== 'throttled' || wait > SHORT_PAUSE_MS || patience === PATIENT) return error;
  const retryAfter = Math.ceil(wait / 1000);
  const { slug } = caller.connector;
  return new UpstreamError('paced', slug, error.message, { retryAfter, cause: error });
}
