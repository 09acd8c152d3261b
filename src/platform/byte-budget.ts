/** Bytes of memory that are shared, given in the order of the requests. */
export interface ByteBudget {
  /**
   * Asks for bytes; more than there are at all count as all.
   * @param had is called once, as soon as they are had, perhaps at once
   * @returns gives them back, or asks no longer
   */
  hold(bytes: number, had: () => void): () => void;
}

interface Wish {
  readonly bytes: number;
  readonly had: () => void;
}

export function openByteBudget(size: number): ByteBudget {
  const waiting: Wish[] = [];
  const held = new Set<Wish>();
  let left = size;

  const serve = () => {
    for (;;) {
      const [first] = waiting;
      if (!first || first.bytes > left) return;
      waiting.shift();
      held.add(first);
      left -= first.bytes;
      first.had();
    }
  };

  return {
    hold(bytes, had) {
      const wish = { bytes: Math.min(bytes, size), had };
      waiting.push(wish);
      serve();
      return () => {
        if (held.delete(wish)) left += wish.bytes;
        const at = waiting.indexOf(wish);
        if (at >= 0) waiting.splice(at, 1);
        serve();
      };
    },
  };
}

/** An answer that is being read. */
interface Pausable {
  readonly paused: boolean;
  pause(): void;
}

/** Pauses an answer until there is room for it. @returns gives the room back */
export function holdRoom(
  budget: ByteBudget,
  controller: Pausable,
  bytes: number,
  { wait, goOn }: { wait: () => void; goOn: () => void },
): () => void {
  let hasRoom = false;
  const leave = budget.hold(bytes, () => {
    hasRoom = true;
    // Later: the client reads one answer at a time, and this may be inside of reading another.
    if (controller.paused) setImmediate(goOn);
  });
  if (!hasRoom) {
    controller.pause();
    wait();
  }
  return leave;
}
