import { Failure, fail } from '../failure.ts';

// Shutdown, start, too many connections, a full disk, an error of the disk's device; the driver's
// words for a lost connection, and those of Citus for one to a server of data. A deadlock or a held
// lock at each repetition is a busy database.
const UNAVAILABLE =
  /^(57P0[1-5]|53\d{3}|58030|08\w{3}|40P01|40001|55P03|ECONN\w+|ENOENT|EPIPE|ETIMEDOUT)$/;
const LOST =
  /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout|timeout exceeded when trying to connect|failure on connection marked as essential/;
const CANCELLED = '57014';
const DISK_FULL = '53100';
/** Data exceptions, violated constraints, and limits such as the size of a key. */
const REFUSED_DATA = /^(22|23|54)\w{3}$/;
/** Of `enter_organization`. */
const ERASED = 'TG410';
/** What every statement of a transaction answers once one of them failed. */
const ABORTED = '25P02';
/**
 * How often a transaction is tried, by what ended it: deadlock, serialization, a lock that another
 * one held too long.
 */
const ATTEMPTS: Readonly<Record<string, number>> = { '40P01': 6, '40001': 6, '55P03': 3 };

/** The Failure that an error of the database is; others stay as they are. */
export function translate(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === CANCELLED) return fail('request_timeout', { cause: error });
  if (code === ERASED)
    return fail('not_found', { cause: error, message: 'La organización ya no existe.' });
  const isLost = error instanceof Error && LOST.test(error.message);
  return UNAVAILABLE.test(code) || isLost ? unavailable(error) : error;
}

export function unavailable(cause: unknown): Failure {
  return fail('service_unavailable', { cause });
}

/** Whether a transaction that failed so is worth another attempt, after so many. */
export function isWorthRepeating(error: unknown, attempts: number): boolean {
  return attempts < (ATTEMPTS[codeOf(error)] ?? 1);
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL;
}

/** Whether the rows of a statement caused its error, so that other rows can be stored. */
export function isRefusedRow(error: unknown): boolean {
  return REFUSED_DATA.test(codeOf(error));
}

/** Whether an earlier statement is to blame. */
export function isOfAborted(error: unknown): boolean {
  return codeOf(error) === ABORTED;
}

/** The SQLSTATE, or the code of the system; empty where there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
