/** The time that a service has for its whole answer. */
interface Deadline {
  /** The time begins, or begins anew. */
  begin(): void;
  /** Another wait takes its place, for as long at most. @param over is called at its end */
  suspend(over: () => void): void;
  end(): void;
}

/**
 * @param bytesRead how many bytes of the answer were read until now
 * @param over is called where there was no whole answer in time
 */
export function openDeadline(
  milliseconds: number,
  bytesRead: () => number,
  over: () => void,
): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let lastLook: NodeJS.Immediate | undefined;

  function waitAnew(then: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(then, milliseconds);
  }

  // Where this process was busy, an answer that came in time may still lie unread in the socket:
  // it is read first.
  function overUnlessMoreIsRead(): void {
    const before = bytesRead();
    lastLook = setImmediate(() => {
      if (bytesRead() > before) overUnlessMoreIsRead();
      else over();
    });
  }

  return {
    begin: () => waitAnew(overUnlessMoreIsRead),
    suspend: waitAnew,
    end() {
      clearTimeout(timer);
      clearImmediate(lastLook);
    },
  };
}
