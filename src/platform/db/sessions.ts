/** Settings of a connection, by name. */
export type Session = Readonly<Record<string, string>>;

const EVERYWHERE: Session = {
  TimeZone: 'UTC',
  // Statements here take milliseconds, and compiling one takes longer.
  jit: 'off',
};

export const READING: Session = {
  default_transaction_read_only: 'on',
  // Every list query has its index; a plan without one is a mistake of stale statistics.
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  // The text of a query says which index serves it; planning it for each value takes longer than
  // reading a page.
  plan_cache_mode: 'force_generic_plan',
};

export const WRITING: Session = {
  idle_in_transaction_session_timeout: '60s',
  // Then the transaction gives its connection to others and is tried again.
  lock_timeout: '3s',
  // For an organisation that the statistics do not know, a plan of its own is a wrong one, made
  // anew each time.
  plan_cache_mode: 'force_generic_plan',
};

/** As start-up options, for as long as the connection lasts. */
export function startOptions(session: Session): string {
  return Object.entries({ ...EVERYWHERE, application_name: 'tianguis', ...session })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * The beginning of a transaction, for connections through a pooler that gives each transaction
 * another session. Its last result has the process of that session, as `pid`.
 */
export function beginWith(session: Session): string {
  const settings = Object.entries({ ...EVERYWHERE, ...session }).map(
    ([name, value]) => `set_config('${ofTransaction(name)}', '${value}', true)`,
  );
  return `begin; select pg_backend_pid() as pid, ${settings.join(', ')}`;
}

/** A default of later transactions would not change the one that has begun. */
function ofTransaction(name: string): string {
  return name.replace(/^default_transaction_/, 'transaction_');
}

/** `citus`: a coordinator, with the tables of organisations on several servers. */
export type DatabaseKind = 'postgresql' | 'citus';

/** A Citus coordinator refuses generic plans of some statements. */
export function planned(session: Session, kind: DatabaseKind): Session {
  return kind === 'citus' ? { ...session, plan_cache_mode: 'auto' } : session;
}
