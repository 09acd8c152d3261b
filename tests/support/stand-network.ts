import type { Answer, Network } from '../../src/platform/network.ts';

/**
 * The instance's network, with its patience cut short: a request that never ends costs a moment, not
 * twenty seconds.
 */
export function impatient(network: Network, milliseconds: number): Network {
  return {
    ...network,
    send: (outgoing, reach) =>
      network.send(outgoing, { ...reach, timeoutMilliseconds: milliseconds }),
  };
}

interface HoldingNetwork extends Network {
  /** Resolves once an answer is held back. */
  readonly held: Promise<void>;
  letGo(): void;
}

/** Keeps the first answer that fits on its way until it is let go. */
export function holding(
  network: Network,
  fits: (url: string, answer: Answer) => boolean,
): HoldingNetwork {
  const held = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isTaken = false;
  return {
    ...network,
    async send(outgoing, reach) {
      const answer = await network.send(outgoing, reach);
      if (isTaken || !fits(outgoing.url, answer)) return answer;
      isTaken = true;
      held.resolve();
      await gate.promise;
      return answer;
    },
    held: held.promise,
    letGo: gate.resolve,
  };
}

/** Answers that fit have their document altered on the way. */
export function altering(
  network: Network,
  fits: RegExp,
  alter: (document: never) => void,
): Network {
  return {
    ...network,
    async send(outgoing, reach) {
      const answer = await network.send(outgoing, reach);
      if (!fits.test(outgoing.url) || answer.status !== 200) return answer;
      const document = JSON.parse(answer.body);
      alter(document as never);
      return { ...answer, body: JSON.stringify(document) };
    },
  };
}
