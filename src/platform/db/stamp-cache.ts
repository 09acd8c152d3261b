import type { Clock } from '../clock.ts';
import { formatMicros, type Instant } from '../time.ts';
import type { Database, ReadScope, WriteScope } from './database.ts';
import type { Notices } from './notices.ts';

/**
 * The stamp of one clock of each organisation, as last notified. It may be behind the database,
 * never ahead.
 */
export interface StampCache<Kept> {
  /** Null when the cache is not current, or the organisation's clock has not begun. */
  get(organizationId: string): Promise<Kept | null>;
}

/** A clock of which an organisation has one. */
interface StampKind<Kept> {
  /** In notices; absent = the delta clock. */
  readonly name?: string;
  read(scope: ReadScope): Promise<Instant | null>;
  /** What is kept of a stamp. */
  keep(stamp: Instant): Kept;
}

interface Entry<Kept> {
  readonly kept: Kept;
  readonly stamp: Instant;
  /** Monotonic milliseconds at which it was true. */
  readonly at: number;
}

const MOST_ENTRIES = 20_000;
/** The process that should send a notice may crash; then a change is seen this much later. */
const LIVES_MS = 1_500;

/**
 * Updated at the commit of this process's own changes, and by notices of those of other processes.
 * @param clock for the age of entries
 */
export function openStampCache<Kept>(
  database: Pick<Database, 'within' | 'onNotice'>,
  notices: Notices,
  clock: Clock,
  { name, read: readStamp, keep: keptOf }: StampKind<Kept>,
): StampCache<Kept> {
  const entries = new Map<string, Entry<Kept>>();
  /** Under way, one for each organisation; later callers share its answer. */
  const looks = new Map<string, Promise<Kept | null>>();

  function keep(organizationId: string, entry: Entry<Kept>): Kept {
    if (entries.size >= MOST_ENTRIES) entries.clear();
    entries.set(organizationId, entry);
    return entry.kept;
  }

  function read(organizationId: string, stamp: Instant, at: number): Kept {
    const known = entries.get(organizationId);
    // A notice received meanwhile stays: it can only be later.
    if (known && Temporal.Instant.compare(known.stamp, stamp) >= 0)
      return keep(organizationId, { ...known, at });
    return keep(organizationId, { kept: keptOf(stamp), stamp, at });
  }

  async function look(organizationId: string): Promise<Kept | null> {
    let at = clock.monotonic();
    const stamp = await database.within(organizationId).read((scope) => {
      // Where readers wait in line, a stamp as old as the wait would be read again by each of them.
      at = clock.monotonic();
      return readStamp(scope);
    });
    if (!stamp) return null;
    return notices.isUp() ? read(organizationId, stamp, at) : keptOf(stamp);
  }

  function listener(subject: string, value: string): void {
    const [organizationId = '', of] = subject.split('/');
    if (of !== name) return;
    const stamp = stampIn(value);
    // A notice that cannot be read: some clock moved.
    if (stamp === null) return entries.clear();
    const known = entries.get(organizationId);
    // A notice with an old stamp does not prove that there is no later one.
    if (known && Temporal.Instant.compare(known.stamp, stamp) >= 0) return;
    keep(organizationId, { kept: keptOf(stamp), stamp, at: clock.monotonic() });
  }

  function hearLine(line: string): void {
    const space = line.indexOf(' ');
    listener(line.slice(0, space), line.slice(space + 1));
  }
  database.onNotice(listener);
  notices.on('clock', (payload) => payload.split('\n').forEach(hearLine));
  notices.onGap(() => entries.clear());

  return {
    async get(organizationId) {
      if (!notices.isUp()) return null;
      const known = entries.get(organizationId);
      if (known && clock.monotonic() - known.at < LIVES_MS) return known.kept;
      const pending = looks.get(organizationId);
      // What is refused is refused now, and not when the stamp is there.
      if (pending) database.within(organizationId).requireRoom();
      if (pending) return pending;
      const begun = look(organizationId).finally(() => looks.delete(organizationId));
      looks.set(organizationId, begun);
      return begun;
    },
  };
}

/** Notifies every process a moment after the commit. @param name absent = the delta clock */
export function publishStamp(
  { handle, organizationId }: WriteScope,
  stamp: Instant,
  name?: string,
): void {
  const subject = name === undefined ? organizationId : `${organizationId}/${name}`;
  handle.notifyAfterCommit(subject, formatMicros(stamp));
}

/** Null for a notice of another program on our channel. */
function stampIn(text: string): Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch {
    return null;
  }
}
