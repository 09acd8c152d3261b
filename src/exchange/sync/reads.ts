import type { Read } from '../../connectors/contract.ts';

/** The items of the rows that could be read. */
export function readable(reads: readonly Read<unknown>[]): readonly unknown[] {
  return reads.filter((read) => read.ok).map((read) => read.item);
}

/** The rows that could not be read. */
export function unreadable(reads: readonly Read<unknown>[]) {
  return reads.filter((read) => !read.ok);
}
