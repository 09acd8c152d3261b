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

export interface WalkedPage<Row, Position> {
  readonly rows: readonly Row[];
  /** The next position of the list; null = that was the last page. */
  readonly next: Position | null;
}

/**
 * Page after page of a list; the consumer may stop early.
 * @throws UpstreamError too_large where the list is longer than any real one
 */
export async function* walk<Row, Position>(
  { service }: Pick<Call<unknown>, 'service'>,
  first: Position,
  ask: (position: Position) => Promise<WalkedPage<Row, Position>>,
  mostPages = MOST_PAGES,
): AsyncGenerator<readonly Row[], void> {
  let position = first;
  let seen = 0;
  for (let page = 1; page <= mostPages; page++) {
    const { rows, next } = await ask(position);
    seen += rows.length;
    if (seen > MOST_ROWS) break;
    yield rows;
    if (next === null) return;
    position = next;
  }
  throw new UpstreamError(
    'too_large',
    service,
    `a list of more than ${mostPages} pages or ${MOST_ROWS} rows`,
  );
}

/** All rows of a list. @throws UpstreamError as `walk` */
export async function walkAll<Row, Position>(
  ...asked: Parameters<typeof walk<Row, Position>>
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of walk(...asked)) for (const row of page) found.push(row);
  return found;
}
