/**
 * A limited number of places, shared fairly: a party's crowd waits behind its own people, not in
 * front of others.
 */
export interface Turns<Tool> {
  /**
   * Takes a place. Null = it is taken already; else it is when the promise resolves, with the tool
   * of whoever left it, if there is one. Each place taken is left again. A waiter whose signal
   * aborts gives its turn to the next.
   * @throws the refusal when none came free in time, the signal's reason
   */
  take(party: string, signal?: AbortSignal): Promise<Tool | null> | null;
  /** @returns whether the tool was handed on to the next. */
  leave(party: string, tool: Tool | null): boolean;
}

interface Party<Tool> {
  readonly name: string;
  held: number;
  readonly waiting: Waiter<Tool>[];
}

interface Waiter<Tool> {
  readonly signal: AbortSignal | undefined;
  admit(tool: Tool | null): void;
  refuse(reason: unknown): void;
}

/**
 * Whoever is alone gets three quarters of the places, two get three sevenths each, and so on: a
 * newcomer nearly always finds one free, however long the others hold theirs.
 */
const MOST_HELD_PER_FREE = 3;

export function openTurns<Tool>(
  places: number,
  patienceMs: number,
  refusal: () => unknown,
): Turns<Tool> {
  const parties = new Map<string, Party<Tool>>();
  /** Parties that wait, each once; who was admitted goes to the end. */
  const line: Party<Tool>[] = [];
  let free = places;

  const mayTake = ({ held }: Party<Tool>) => held < free * MOST_HELD_PER_FREE;

  function hold(party: Party<Tool>) {
    free--;
    party.held++;
  }

  function wait(party: Party<Tool>, signal: AbortSignal | undefined): Promise<Tool | null> {
    if (party.waiting.length === 0) line.push(party);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        party.waiting.splice(party.waiting.indexOf(waiter), 1);
        if (party.waiting.length === 0) line.splice(line.indexOf(party), 1);
        forget(party);
        reject(refusal());
      }, patienceMs).unref();
      const waiter: Waiter<Tool> = {
        signal,
        admit(tool) {
          clearTimeout(timer);
          resolve(tool);
        },
        refuse(reason) {
          clearTimeout(timer);
          reject(reason);
        },
      };
      party.waiting.push(waiter);
    });
  }

  /** @returns whether the tool was taken over. */
  function admitThoseWhoMay(tool: Tool | null): boolean {
    let left = tool;
    for (let index = line.findIndex(mayTake); index !== -1; index = line.findIndex(mayTake)) {
      const [party] = line.splice(index, 1) as [Party<Tool>];
      const waiter = party.waiting.shift() as Waiter<Tool>;
      if (party.waiting.length > 0) line.push(party);
      if (waiter.signal?.aborted) {
        waiter.refuse(waiter.signal.reason);
        continue;
      }
      hold(party);
      waiter.admit(left);
      left = null;
    }
    return left === null && tool !== null;
  }

  function forget(party: Party<Tool>) {
    if (party.held === 0 && party.waiting.length === 0) parties.delete(party.name);
  }

  return {
    take(name, signal) {
      let party = parties.get(name);
      if (!party) {
        party = { name, held: 0, waiting: [] };
        parties.set(name, party);
      }
      if (!mayTake(party)) return wait(party, signal);
      hold(party);
      return null;
    },
    leave(name, tool) {
      const party = parties.get(name);
      if (!party || party.held === 0) throw new Error('a place was left that nobody held');
      party.held--;
      free++;
      const isHandedOn = admitThoseWhoMay(tool);
      forget(party);
      return isHandedOn;
    },
  };
}
