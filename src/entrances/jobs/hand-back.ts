import type { ExchangeParts } from '../../exchange/parts.ts';
import { HandedBack } from '../../exchange/wire/errors.ts';

/**
 * What a sync run works with until the instance stops; then it asks nothing more, so the run
 * ends after the last page that it stored. Only reads are cut short: a renewal's answer holds a
 * token that is given once.
 */
export function untilStopped(parts: ExchangeParts, stopping: AbortSignal): ExchangeParts {
  const orHandBack = async <T>(work: () => Promise<T>): Promise<T> => {
    if (stopping.aborted) throw new HandedBack('the instance is stopping');
    try {
      return await work();
    } catch (cause) {
      if (stopping.aborted) throw new HandedBack('the instance is stopping', { cause });
      throw cause;
    }
  };
  const both = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, stopping]) : stopping;
  const { network, clock } = parts;
  return {
    ...parts,
    network: {
      ...network,
      send: (outgoing, reach) =>
        outgoing.method === 'GET'
          ? orHandBack(() => network.send(outgoing, { ...reach, signal: both(reach.signal) }))
          : network.send(outgoing, reach),
    },
    clock: {
      ...clock,
      sleep: (milliseconds, signal) => orHandBack(() => clock.sleep(milliseconds, both(signal))),
    },
  };
}
