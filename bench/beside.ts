import { hammer, type Requests } from './load.ts';
import { processorSeconds, type Served } from './processes.ts';
import { median, ratiosOf, type Stand, takeTurns } from './stand.ts';

interface Beside {
  readonly ratios: readonly number[];
  /** «3400/s beside 4100/s». */
  readonly figure: string;
  /** Where the processor's time goes, in one sentence. */
  readonly spending: string;
}

interface Turn {
  readonly perSecond: number;
  /** Processor time for one request, in microseconds. */
  readonly server: number;
  readonly database: number;
  readonly load: number;
}

/** Loads the instance and its peer in turns with the same requests. */
export async function loadBeside(
  stand: Stand,
  peer: Served,
  request: { instance: Requests; peer: Requests; connections: number },
): Promise<Beside> {
  const turns: Record<'instance' | 'peer', Turn[]> = { instance: [], peer: [] };
  const turn = async (side: 'instance' | 'peer') => {
    const { port, pid } = side === 'instance' ? stand.instance : peer;
    const spent = async () => [
      processorSeconds(pid),
      await stand.databaseSeconds(),
      processorSeconds(process.pid),
    ];
    const before = await spent();
    const { perSecond, requests } = await hammer(port, request[side], {
      connections: request.connections,
      milliseconds: stand.turnMilliseconds,
    });
    const micros = (await spent()).map(
      (seconds, part) => ((seconds - (before[part] ?? 0)) * 1e6) / requests,
    );
    const [server = 0, database = 0, load = 0] = micros;
    turns[side].push({ perSecond, server, database, load });
    return perSecond;
  };
  // The first turns only warm up.
  await turn('instance');
  await turn('peer');
  turns.instance = [];
  turns.peer = [];
  const figures = await takeTurns(stand.rounds, {
    instance: () => turn('instance'),
    peer: () => turn('peer'),
  });
  const typical = (side: 'instance' | 'peer', part: keyof Turn) =>
    Math.round(median(turns[side].map((one) => one[part])));
  return {
    ratios: ratiosOf(figures.instance, figures.peer),
    figure: `${typical('instance', 'perSecond')}/s beside ${typical('peer', 'perSecond')}/s`,
    spending:
      `A request takes ${typical('instance', 'server')} µs of processor in the instance (${typical('peer', 'server')} in the peer), ` +
      `${typical('instance', 'database')} in the database (${typical('peer', 'database')}) and ${typical('instance', 'load')} in the load.`,
  };
}
