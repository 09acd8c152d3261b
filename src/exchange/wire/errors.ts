import { ZodError } from 'zod';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { Failure } from '../../platform/failure.ts';
import { SealError } from '../../platform/seal.ts';

/** The account was disconnected during a sync: expected, neither logged nor recorded. */
export class DisconnectedDuringSync extends UpstreamError {
  constructor(slug: string) {
    super('unauthorized', slug, 'the account was disconnected meanwhile');
  }
}

/**
 * The streams of the account were begun anew during a sync run, which ends there: expected, neither
 * logged nor recorded.
 */
export class RestartedDuringSync extends Error {
  override name = 'RestartedDuringSync';
}

/** The process is stopping: the job ends here and another process goes on with it. */
export class HandedBack extends Error {
  override name = 'HandedBack';
}

/** Our own failures that end by themselves. */
const PASSING: readonly Failure['code'][] = ['service_unavailable', 'request_timeout'];

/** The kind of a failure that is our own. */
export function ownKindOf(error: unknown): 'busy' | 'defect' {
  return error instanceof Failure && PASSING.includes(error.code) ? 'busy' : 'defect';
}

/**
 * The failure of a service behind an error; an answer that its connector could not read is one too.
 * @returns null where the error is our own
 */
export function asUpstream(error: unknown, slug: string): UpstreamError | null {
  if (error instanceof UpstreamError) return error;
  if (error instanceof ZodError || error instanceof SyntaxError)
    return new UpstreamError('unreadable', slug, error.message, { cause: error });
  if (error instanceof SealError)
    return new UpstreamError('unopened', slug, error.message, { cause: error });
  return null;
}
