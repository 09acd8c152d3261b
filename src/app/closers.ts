type Close = () => Promise<void> | void;

/** What was opened, in order; it is closed in the opposite order. */
export interface Closers {
  add(close: Close): void;
  /** One that fails does not keep the others open: the last one stops the embedded database. */
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
