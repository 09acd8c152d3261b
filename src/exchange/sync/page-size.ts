import type { Page, Pass, Stream } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { StepCall } from '../wire/call.ts';

/** Asks a stream for its pages, for smaller ones where an answer is too large to be read. */
interface SizedPages {
  /** @throws UpstreamError too_large where a single row is, and there is no way around it */
  ask(pass: Omit<Pass, 'limit'>): Promise<Page<unknown>>;
}

/** What the runs of a pass hand on to one another. */
interface Remembered {
  /** Null = the stream's `pageSize`. */
  readonly limit: number | null;
  note(limit: number | null): Promise<void>;
}

/** After so many pages in a row that could be read the next one may be twice as large. */
const GROW_AFTER = 5;
/** One row was too large. It may have been a fault of the moment: it is asked for once more. */
const ONE_AGAIN = 0;
/** So many rows in a row may be too large, where nothing tells their names. */
const MOST_UNPROVED = 3;

export function openSizedPages(
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  remembered: Remembered,
): SizedPages {
  const { pageSize = 1 } = stream;
  let limit = Math.min(remembered.limit ?? pageSize, pageSize);
  let inARow = 0;

  async function become(rows: number): Promise<void> {
    inARow = 0;
    if (rows === limit) return;
    limit = rows;
    await remembered.note(limit === pageSize ? null : limit);
  }

  async function grow(): Promise<void> {
    inARow += 1;
    if (limit === ONE_AGAIN) await become(1);
    else if (inARow >= GROW_AFTER) await become(Math.min(pageSize, limit * 2));
  }

  /**
   * A row without a name is the matter only where one behind it can be read: else it is the
   * service, and nothing is set aside. @throws UpstreamError where there is no way around it; the
   * next run begins with whole pages again
   */
  async function setAside(pass: Pass, error: unknown): Promise<Page<unknown>> {
    let items: Page<unknown>['items'] = [];
    let position = pass.position;
    for (let asides = 0; asides < MOST_UNPROVED; ) {
      const page = await stream.tooLarge?.(call.step(), { ...pass, position });
      if (!page) break;
      // Of a narrower question the rows may be large still.
      if (page.items.length === 0 && asides === 0) return page;
      if (page.items.length > 0) asides += 1;
      items = [...items, ...page.items];
      if (await isProved(pass, page)) {
        await become(pageSize);
        return { ...page, items };
      }
      position = page.next;
    }
    await become(pageSize);
    throw error;
  }

  async function isProved(pass: Pass, { items, next }: Page<unknown>): Promise<boolean> {
    const isNamed = items.length > 0 && items.every((read) => read.ok || read.externalId !== null);
    if (next === null || isNamed) return true;
    try {
      await stream.page(call.step(), { ...pass, position: next });
      return true;
    } catch (thrown) {
      if (!isTooLarge(thrown)) throw thrown;
      return false;
    }
  }

  return {
    async ask(pass) {
      for (;;) {
        const asked = { ...pass, limit: Math.max(1, limit) };
        try {
          const page = await stream.page(call.step(), asked);
          await grow();
          return page;
        } catch (error) {
          if (!isTooLarge(error)) throw error;
          if (limit === ONE_AGAIN) return setAside(asked, error);
          await become(Math.floor(limit / 2));
        }
      }
    },
  };
}

/** One answer was, or all that belongs to the page together. */
function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'too_large' || error.kind === 'endless');
}
