import type { Page } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { Instant } from '../../platform/time.ts';

/** A page, and the time when it was asked for. */
export interface AskedPage extends Page<unknown> {
  readonly askedAt: Instant;
}

/** The pages of a sync run. */
export interface PageSource {
  readonly service: string;
  /**
   * `mayRepeat`: the page holds stored things that the connector queried, which an earlier page may
   * have shown.
   */
  ask(position: string | null): Promise<{ readonly page: AskedPage; readonly mayRepeat: boolean }>;
  /** The names of the things on a page. */
  namesOn(page: Page<unknown>): readonly string[];
  /** Whether the next page is requested while the one before it is stored. */
  readonly asksAhead: boolean;
  /** Pages that earlier slices of the sync run read. */
  readonly pagesBefore: number;
  /** Whether the slice ends after so many pages. */
  isOver(pages: number): boolean;
}

/** The pages after a repeated page were not read. */
export class RepeatedPage extends UpstreamError {
  constructor(service: string) {
    super('runaway', service, 'a page repeats');
  }
}

/** Of one sync run, over all its slices: more than any account fills. */
const MOST_PAGES = 1_000_000;
/** A list that shrank leads back to a position once or twice; one that goes in a circle, always. */
const MOST_VISITS = 3;

/**
 * Page after page, from a position to the end of the sync run, its pause, or the end of the slice.
 * A page that must be acknowledged, or that is the last one, is stored before the next request. A
 * consumer that stops early leaves no request open.
 * @throws UpstreamError runaway where the pages or their positions repeat, endless where there are
 * too many
 */
export async function* pagesOf(source: PageSource, from: string | null): AsyncGenerator<AskedPage> {
  const { service, namesOn } = source;
  let position = from;
  const visits = new Map<string, number>();
  let asking = askUnlessRepeated(source, position, []);
  for (let count = 1; ; count++) {
    const page = await asking;
    const isEnd = page.next === null || page.pauseSeconds !== undefined;
    if (page.next === position && !isEnd)
      throw new UpstreamError('runaway', service, 'the position stands still');
    visit(visits, service, page.next);
    if (source.pagesBefore + count > MOST_PAGES)
      throw new UpstreamError('endless', service, `more than ${MOST_PAGES} pages in one sync run`);
    const isLast = isEnd || source.isOver(count);
    position = page.next;
    const names = namesOn(page);
    const ahead =
      source.asksAhead && !isLast && !page.acknowledge
        ? askUnlessRepeated(source, position, names)
        : null;
    const answered = Promise.allSettled([ahead]);
    try {
      yield page;
    } finally {
      await answered;
    }
    if (isLast) return;
    asking = ahead ?? askUnlessRepeated(source, position, names);
  }
}

/** @throws UpstreamError runaway where it was visited too often */
function visit(visits: Map<string, number>, service: string, position: string | null): void {
  if (position === null) return;
  const count = (visits.get(position) ?? 0) + 1;
  if (count > MOST_VISITS)
    throw new UpstreamError('runaway', service, 'the positions go in a circle');
  visits.set(position, count);
}

/** Requests a page that equals the former one once more. */
async function askUnlessRepeated(
  { service, ask, namesOn }: PageSource,
  position: string | null,
  former: readonly string[],
): Promise<AskedPage> {
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { page, mayRepeat } = await ask(position);
    if (mayRepeat || !isSame(former, namesOn(page))) return page;
  }
  throw new RepeatedPage(service);
}

/** A single thing may be on two pages, because it moved between them. */
function isSame(former: readonly string[], names: readonly string[]): boolean {
  return (
    names.length > 1 &&
    names.length === former.length &&
    names.every((name, at) => name === former[at])
  );
}
