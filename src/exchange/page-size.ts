import type { Page, Pass, Stream } from '../connectors/contract.ts';
import { UpstreamError } from '../connectors/upstream-error.ts';
import type { StepCall } from './call.ts';

/** Asks a stream for its pages, for smaller ones where an answer is too large to be read. */
interface SizedPages {
  /** @throws UpstreamError too_large where a single row is, and nothing tells which one */
  ask(pass: Omit<Pass, 'limit'>): Promise<Page<unknown>>;
  /** Whether this page stands for a row that is too large. */
  isTooLarge(page: Page<unknown>): boolean;
}

/** After so many pages in a row that could be read the next one may be twice as large. */
const GROW_AFTER = 5;

export function openSizedPages(stream: Stream<unknown, unknown>, call: StepCall<unknown>): SizedPages {
  const { pageSize = 1 } = stream;
  const tooLarge = new WeakSet<Page<unknown>>();
  let limit = pageSize;
  let inARow = 0;

  function grow(): void {
    inARow += 1;
    if (inARow < GROW_AFTER) return;
    limit = Math.min(pageSize, limit * 2);
    inARow = 0;
  }

  async function setAside(pass: Pass, error: unknown): Promise<Page<unknown>> {
    if (!stream.tooLarge) throw error;
    const page = await stream.tooLarge(call.step(), pass);
    tooLarge.add(page);
    // The others need not be large.
    limit = pageSize;
    return page;
  }

  return {
    async ask(pass) {
      for (let isRepeated = false; ; ) {
        const asked = { ...pass, limit };
        try {
          const page = await stream.page(call.step(), asked);
          grow();
          return page;
        } catch (error) {
          if (!isTooLarge(error)) throw error;
          inARow = 0;
          if (limit > 1) limit = Math.floor(limit / 2);
          else if (isRepeated) return setAside(asked, error);
          // It may have been a fault of the moment.
          else isRepeated = true;
        }
      }
    },
    isTooLarge: (page) => tooLarge.has(page),
  };
}

/** One answer was, or all that belongs to the page together. */
function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'too_large' || error.kind === 'endless');
}
