/**
 * The same values, each of which is asked for while the consumer works on the one before. Where the
 * consumer stops early, what was asked for is awaited and dropped.
 */
export async function* ahead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = iterator.next();
      // It is thrown when its turn comes.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
