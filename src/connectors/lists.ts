import { z } from 'zod';
import type { Call } from './contract.ts';
import { UpstreamError } from './upstream-error.ts';

/**
 * Lists inside one step of work: the webhooks of a store, the variations of a product, the refunds
 * of an order. The engine reads the pages of a stream; every other list is read here, with a limit.
 */

const MOST_PAGES = 500;
export const MOST_ROWS = 10_000;

/** The rows of one page; an answer with more rows is rejected. */
export const Rows = z.array(z.unknown()).max(MOST_ROWS);

export interface Turn<Row, Place> {
  readonly rows: readonly Row[];
  /** The next place of the list; null = that was the last page. */
  readonly next: Place | null;
}

/**
 * Page after page of a list; the consumer may stop early.
 * @throws UpstreamError too_large where the list is longer than any real one
 */
export async function* walk<Row, Place>(
  { service }: Pick<Call<unknown>, 'service'>,
  first: Place,
  ask: (place: Place) => Promise<Turn<Row, Place>>,
  mostPages = MOST_PAGES,
): AsyncGenerator<readonly Row[], void> {
  let place = first;
  let seen = 0;
  for (let page = 1; page <= mostPages; page++) {
    const turn = await ask(place);
    seen += turn.rows.length;
    if (seen > MOST_ROWS) break;
    yield turn.rows;
    if (turn.next === null) return;
    place = turn.next;
  }
  throw new UpstreamError(
    'too_large',
    service,
    `a list of more than ${mostPages} pages or ${MOST_ROWS} rows`,
  );
}

/** All rows of a list. @throws UpstreamError as `walk` */
export async function walkAll<Row, Place>(
  ...asked: Parameters<typeof walk<Row, Place>>
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of walk(...asked)) for (const row of page) found.push(row);
  return found;
}
