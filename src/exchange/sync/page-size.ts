import type { Page, Stream, StreamRequest } from '../../connectors/contract.ts';
import { isAnswerTooLarge } from '../../connectors/upstream-error.ts';
import type { StepCall } from '../wire/call.ts';

/** How many rows a stream's pages have: fewer where an answer is too large. */
export interface PageSize {
  rows(): number;
  /** A page could be read. */
  grow(): Promise<void>;
  /**
   * The answer to a request was too large.
   * @returns the page with its row set aside; null = it is to be requested again, by `rows`
   * @throws the error where there is no way around the row
   */
  shrink(request: StreamRequest, error: unknown): Promise<Page<unknown> | null>;
}

/** The page size that the slices of a sync run hand on to one another. */
interface Remembered {
  /** Null = the stream's `pageSize`. */
  readonly limit: number | null;
  note(limit: number | null): Promise<void>;
}

/** Where the rows of a list are requested. */
interface RowSource {
  readonly stream: Stream<unknown, unknown>;
  readonly call: StepCall<unknown>;
}

/** After this many readable pages in a row the page size doubles. */
const GROW_AFTER = 5;
/** The smallest page was too large. The cause may be temporary: it is requested once more. */
const ONE_AGAIN = 0;
/** How many rows behind one that is too large are left out in search of one that can be read. */
const FARTHEST = 256;

export function openPageSize(
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  remembered: Remembered,
): PageSize {
  const { pageSize = 1, leastSize = 1 } = stream;
  let limit = Math.min(remembered.limit ?? pageSize, pageSize);
  let inARow = 0;

  async function become(rows: number): Promise<void> {
    inARow = 0;
    if (rows === limit) return;
    limit = rows;
    await remembered.note(limit === pageSize ? null : limit);
  }

  /**
   * Sets a row aside that is too large alone. A row without a name is set aside only where a later
   * one can be read; else the service is at fault, and the next run begins with whole pages.
   * @throws UpstreamError where there is no way around the row
   */
  async function setAside(request: StreamRequest, error: unknown): Promise<Page<unknown>> {
    const page = (await stream.tooLarge?.(call.step(), request)) ?? null;
    // A narrower window may still hold large rows.
    if (page?.items.length === 0) return page;
    const tries = page && (isNamed(page) ? 0 : await triesBehind({ stream, call }, request, page));
    // Large rows are often neighbours.
    await become(tries ? leastSize : pageSize);
    if (page && tries !== null) return page;
    throw error;
  }

  return {
    rows: () => Math.max(leastSize, limit),
    async grow() {
      inARow += 1;
      if (limit === ONE_AGAIN) await become(leastSize);
      else if (inARow >= GROW_AFTER) await become(Math.min(pageSize, limit * 2));
    },
    async shrink(request, error) {
      if (limit === ONE_AGAIN) return setAside(request, error);
      const half = Math.max(leastSize, Math.floor(limit / 2));
      await become(limit <= leastSize ? ONE_AGAIN : half);
      return null;
    },
  };
}

/**
 * How many rows behind one that is too large could not be read either, before one could. The
 * distance doubles with each try.
 * @returns null where none can be read
 */
async function triesBehind(
  source: RowSource,
  request: StreamRequest,
  page: Page<unknown>,
): Promise<number | null> {
  let [rows, tries] = [0, 0];
  for await (const position of positionsBehind(source, request, page)) {
    if (position === null) return tries;
    rows += 1;
    if (rows > FARTHEST) return null;
    if (rows !== 2 ** tries) continue;
    if (await isReadable(source, { ...request, position })) return tries;
    tries += 1;
  }
  return null;
}

/** Behind one row, two rows and so on; null = the list ends there. */
async function* positionsBehind(
  { stream, call }: RowSource,
  request: StreamRequest,
  page: Page<unknown>,
): AsyncGenerator<string | null> {
  for (let behind: Page<unknown> | null = page; behind; ) {
    const position: string | null = behind.next;
    if (behind.items.length > 0) yield position;
    if (position === null) return;
    behind = (await stream.tooLarge?.(call.step(), { ...request, position })) ?? null;
  }
}

async function isReadable({ stream, call }: RowSource, request: StreamRequest): Promise<boolean> {
  try {
    await stream.page(call.step(), request);
    return true;
  } catch (thrown) {
    if (!isAnswerTooLarge(thrown)) throw thrown;
    return false;
  }
}

function isNamed({ items }: Page<unknown>): boolean {
  return items.every((read) => read.ok || read.externalId !== null);
}
