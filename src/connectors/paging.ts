import type { StreamRequest } from './contract.ts';

/** A position in a list by page number: the first page is 1. */
export interface PagePosition {
  readonly page: number;
  /** Rows of each page. */
  readonly size: number;
}

/**
 * The same position in pages of at most so many rows: their size divides the number of rows before
 * it, so that none is skipped.
 */
export function inPagesOf<Position extends PagePosition>(
  limit: number,
  position: Position,
): Position {
  const before = (position.page - 1) * position.size;
  if (before === 0) return { ...position, page: 1, size: limit };
  let fitting = Math.min(limit, before);
  while (before % fitting !== 0) fitting -= 1;
  return { ...position, page: before / fitting + 1, size: fitting };
}

/** Positions of an older release are the number of a page. */
export function pagePositionOf(
  { position, limit }: Pick<StreamRequest, 'position' | 'limit'>,
  size: number,
): PagePosition {
  const at: PagePosition | number = position === null ? 1 : JSON.parse(position);
  return inPagesOf(limit, typeof at === 'number' ? { page: at, size } : at);
}
