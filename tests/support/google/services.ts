import type { Execution } from './execution.ts';
import {
  COSTS,
  LARGEST_STORE,
  LONGEST_ADDRESS,
  LONGEST_PROPERTY,
  MOST_TRIGGERS,
} from './limits.ts';

/** An answer as it came over HTTP; null = none came. */
export interface Fetched {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

export interface FetchOptions {
  readonly headers?: Record<string, string>;
  readonly muteHttpExceptions?: boolean;
  readonly followRedirects?: boolean;
}

/** Asks over real HTTP and waits. */
type Fetch = (url: string, options: FetchOptions) => Fetched | null;

export interface Trigger {
  readonly id: number;
  readonly handler: string;
  /** When it fires next, in epoch milliseconds; null = it fired, and was the only time. */
  due: number | null;
  readonly everyMs: number | null;
}

export type Store = Map<string, string>;

/** Who holds the lock of the document. */
export interface LockState {
  holder: Execution | null;
}

export function propertiesService(
  execution: Execution,
  stores: { readonly user: Store; readonly document: Store },
): object {
  const propertiesIn = (store: Store) => () => {
    execution.use(COSTS.call);
    return {
      getProperty(name: string) {
        execution.use(COSTS.call);
        return store.get(name) ?? null;
      },
      setProperty(name: string, value: unknown) {
        execution.use(COSTS.call);
        const text = String(value);
        if (Buffer.byteLength(name + text) > LONGEST_PROPERTY)
          throw new Error('Argument too large: value');
        const others = [...store].filter(([each]) => each !== name).flat();
        if (Buffer.byteLength([...others, name, text].join('')) > LARGEST_STORE)
          throw new Error(
            'You have exceeded the property storage quota. Please remove some properties and try again.',
          );
        store.set(name, text);
      },
    };
  };
  return {
    getUserProperties: propertiesIn(stores.user),
    getDocumentProperties: propertiesIn(stores.document),
  };
}

/** @param state null = the script belongs to no document */
export function lockService(execution: Execution, state: LockState | null): object {
  return {
    getDocumentLock() {
      execution.use(COSTS.call);
      if (!state) return null;
      return {
        tryLock(milliseconds: number) {
          const isFree = state.holder === null || state.holder === execution;
          execution.use(isFree ? COSTS.call : milliseconds);
          if (isFree) state.holder = execution;
          return isFree;
        },
        releaseLock() {
          execution.use(COSTS.call);
          if (state.holder === execution) state.holder = null;
        },
      };
    },
  };
}

export function urlFetchApp(execution: Execution, ask: Fetch): object {
  return {
    fetch(url: string, options: FetchOptions = {}) {
      refuseWhileOpening(execution);
      execution.use(execution.fetchMs ?? COSTS.fetch);
      if (Buffer.byteLength(url) > LONGEST_ADDRESS)
        throw new Error('Limit Exceeded: URLFetch URL Length.');
      execution.countFetch();
      const fetched = ask(url, options);
      if (!fetched) throw new Error(`Address unavailable: ${url}`);
      const { status, headers, text } = fetched;
      if (status >= 400 && !options.muteHttpExceptions)
        throw new Error(`Request failed for ${url} returned code ${status}.`);
      return {
        getResponseCode: () => status,
        getHeaders: () => headers,
        getContentText: () => text,
      };
    },
  };
}

export function utilities(execution: Execution): object {
  return {
    sleep(milliseconds: number) {
      if (!(milliseconds >= 0 && milliseconds <= 300_000))
        throw new Error(`Invalid argument: ${milliseconds}`);
      execution.use(Math.ceil(milliseconds));
    },
    formatDate(date: Date, zone: string, pattern: string) {
      execution.use(COSTS.call);
      const at = Temporal.Instant.fromEpochMilliseconds(Number(date)).toZonedDateTimeISO(zone);
      const two = (part: number) => String(part).padStart(2, '0');
      if (pattern === 'Z') return at.offset.replace(':', '');
      if (pattern === 'dd/MM/yyyy HH:mm')
        return `${two(at.day)}/${two(at.month)}/${at.year} ${two(at.hour)}:${two(at.minute)}`;
      throw new Error(`The emulation does not know the pattern ${pattern}.`);
    },
  };
}

const HOURS = [1, 2, 4, 6, 8, 12];
let lastTrigger = 0;

export function scriptApp(
  execution: Execution,
  triggers: Trigger[],
  handlers: ReadonlySet<string>,
): object {
  return {
    newTrigger(handler: string) {
      refuseWhileOpening(execution);
      let due = 0;
      let everyMs: number | null = null;
      const builder = {
        timeBased: () => builder,
        after(milliseconds: number) {
          due = execution.now() + milliseconds;
          return builder;
        },
        everyHours(hours: number) {
          if (!HOURS.includes(hours)) throw new Error(`Invalid argument: ${hours}`);
          everyMs = hours * 3_600_000;
          due = execution.now() + everyMs;
          return builder;
        },
        create() {
          execution.use(COSTS.trigger);
          if (!handlers.has(handler)) throw new Error(`There is no function ${handler}.`);
          if (triggers.length >= MOST_TRIGGERS)
            throw new Error(
              'This script has too many triggers. Triggers must be deleted from the script before more can be added.',
            );
          triggers.push({ id: ++lastTrigger, handler, due, everyMs });
        },
      };
      return builder;
    },
    getProjectTriggers() {
      refuseWhileOpening(execution);
      execution.use(COSTS.call);
      return triggers.map(({ id, handler }) => ({ id, getHandlerFunction: () => handler }));
    },
    deleteTrigger({ id }: { id: number }) {
      execution.use(COSTS.trigger);
      const at = triggers.findIndex((each) => each.id === id);
      if (at !== -1) triggers.splice(at, 1);
    },
  };
}

/** What a simple trigger such as `onOpen` may not use, since it is not authorized. */
function refuseWhileOpening(execution: Execution): void {
  if (execution.kind === 'open')
    throw new Error('You do not have permission to call that service.');
}
