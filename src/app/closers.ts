type Close = () => Promise<void> | void;

/** Opened parts, in order; they are closed in the opposite order. */
export interface Closers {
  add(close: Close): void;
  /**
   * A part that fails to close does not stop the others from closing: the embedded database is
   * last.
   */
  closeAll(): Promise<void>;
}

export function openClosers(): Closers {
  const opened: Close[] = [];
  return {
    add: (close) => void opened.push(close),
    async closeAll() {
      const failures: unknown[] = [];
      for (const close of opened.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close');
    },
  };
}
