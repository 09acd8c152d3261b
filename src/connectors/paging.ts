/** A place in a list by page number: the first page is 1. */
export interface Turn {
  readonly page: number;
  /** Rows of each page. */
  readonly size: number;
}

/**
 * The same place in pages of at most so many rows: their size divides the number of rows before it,
 * so that none is skipped.
 */
export function turnOfPages<Place extends Turn>(limit: number, place: Place): Place {
  const before = (place.page - 1) * place.size;
  if (before === 0) return { ...place, page: 1, size: limit };
  let fitting = Math.min(limit, before);
  while (before % fitting !== 0) fitting -= 1;
  return { ...place, page: before / fitting + 1, size: fitting };
}

/** A place in a list by token. A token continues in pages of the size it was issued with. */
export interface TokenPlace {
  /** Null = at the beginning. */
  readonly token: string | null;
  /** Rows of each page. */
  readonly size: number;
}

/** In pages of at most so many rows: where those of the token are larger, the list restarts. */
export function placeOfPages<Place extends TokenPlace>(limit: number, place: Place): Place {
  return place.token === null || limit < place.size
    ? { ...place, token: null, size: limit }
    : place;
}

/** Positions of an older release are the token alone. */
export function tokenPlaceOf(position: string | null, size: number): TokenPlace {
  return position?.startsWith('{') ? JSON.parse(position) : { token: position, size };
}

/** A part of a list from one time to another, walked by token. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly token: string | null;
}

/**
 * The same; a part that restarts with smaller pages is shortened by the same factor, but not below
 * `shortest`.
 */
export function spanOfPages<Place extends Span & TokenPlace>(
  limit: number,
  place: Place,
  shortest: number,
): Place {
  const { from, to, token, size } = place;
  if (token === null || limit >= size) return placeOfPages(limit, place);
  const length = Math.max(shortest, Math.floor(((to - from) * limit) / size));
  return { ...place, to: Math.min(to, from + length), token: null, size: limit };
}

/** Half as long, from the same beginning; null = it is not longer than `shortest`. */
export function halfOf<Place extends Span>(place: Place, shortest: number): Place | null {
  const { from, to } = place;
  if (to - from <= shortest) return null;
  return { ...place, to: from + Math.max(shortest, Math.floor((to - from) / 2)), token: null };
}

/** The next part, up to twice as long; null = the list ends there. */
export function behind<Place extends Span>(place: Place, end: number): Place | null {
  const { from, to } = place;
  return to >= end
    ? null
    : { ...place, from: to, to: Math.min(end, to + 2 * (to - from)), token: null };
}
