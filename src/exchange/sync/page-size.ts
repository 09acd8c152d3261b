import type { Page, Pass, Stream } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { StepCall } from '../wire/call.ts';

/** Requests a stream's pages, and smaller ones where an answer is too large. */
interface SizedPages {
  /** @throws UpstreamError too_large where a single row is, and there is no way around it */
  ask(pass: Omit<Pass, 'limit'>): Promise<Page<unknown>>;
}

/** The page size that the slices of a sync run hand on to one another. */
interface Remembered {
  /** Null = the stream's `pageSize`. */
  readonly limit: number | null;
  note(limit: number | null): Promise<void>;
}

/** After this many readable pages in a row the page size doubles. */
const GROW_AFTER = 5;
/** One row was too large. The cause may be temporary: it is requested once more. */
const ONE_AGAIN = 0;
/** This many rows in a row may be too large where their names are unknown. */
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
   * Sets a row aside that is too large alone. A row without a name is set aside only where a later
   * one can be read; else the service is at fault, and the next run begins with whole pages.
   * @throws UpstreamError where there is no way around the row
   */
  async function setAside(pass: Pass, error: unknown): Promise<Page<unknown>> {
    let items: Page<unknown>['items'] = [];
    let position = pass.position;
    for (let asides = 0; asides < MOST_UNPROVED; ) {
      const page = await stream.tooLarge?.(call.step(), { ...pass, position });
      if (!page) break;
      // A narrower window may still hold large rows.
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

/** One answer was too large, or all answers of the page together. */
function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'too_large' || error.kind === 'endless');
}
