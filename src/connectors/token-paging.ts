/** A position in a list by token. A token continues in pages of the size it was issued with. */
export interface TokenPosition {
  /** Null = at the beginning. */
  readonly token: string | null;
  /** Rows of each page. */
  readonly size: number;
}

/** In pages of at most so many rows: where those of the token are larger, the list restarts. */
export function tokenInPagesOf<Position extends TokenPosition>(
  limit: number,
  position: Position,
): Position {
  return position.token === null || limit < position.size
    ? { ...position, token: null, size: limit }
    : position;
}

/** Positions of an older release are the token alone. */
export function tokenPositionOf(stored: string | null, size: number): TokenPosition {
  return stored?.startsWith('{') ? JSON.parse(stored) : { token: stored, size };
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
export function spanInPagesOf<Position extends Span & TokenPosition>(
  limit: number,
  position: Position,
  shortest: number,
): Position {
  const { from, to, token, size } = position;
  if (token === null || limit >= size) return tokenInPagesOf(limit, position);
  const length = Math.max(shortest, Math.floor(((to - from) * limit) / size));
  return { ...position, to: Math.min(to, from + length), token: null, size: limit };
}

/** Half as long, from the same beginning; null = it is not longer than `shortest`. */
export function halfOf<Position extends Span>(
  position: Position,
  shortest: number,
): Position | null {
  const { from, to } = position;
  if (to - from <= shortest) return null;
  return { ...position, to: from + Math.max(shortest, Math.floor((to - from) / 2)), token: null };
}

/** The next part, up to twice as long; null = the list ends there. */
export function behind<Position extends Span>(position: Position, end: number): Position | null {
  const { from, to } = position;
  return to >= end
    ? null
    : { ...position, from: to, to: Math.min(end, to + 2 * (to - from)), token: null };
}
