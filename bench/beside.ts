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

/** Loads the house and its peer in turns with the same requests. */
export async function loadBeside(
  stand: Stand,
  peer: Served,
  request: { house: Requests; peer: Requests; connections: number },
): Promise<Beside> {
  const turns: Record<'house' | 'peer', Turn[]> = { house: [], peer: [] };
  const turn = async (side: 'house' | 'peer') => {
    const { port, pid } = side === 'house' ? stand.house : peer;
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
  await turn('house');
  await turn('peer');
  turns.house = [];
  turns.peer = [];
  const figures = await takeTurns(stand.rounds, {
    house: () => turn('house'),
    peer: () => turn('peer'),
  });
  const typical = (side: 'house' | 'peer', part: keyof Turn) =>
    Math.round(median(turns[side].map((one) => one[part])));
  return {
    ratios: ratiosOf(figures.house, figures.peer),
    figure: `${typical('house', 'perSecond')}/s beside ${typical('peer', 'perSecond')}/s`,
    spending:
      `A request takes ${typical('house', 'server')} µs of processor in the house (${typical('peer', 'server')} in the peer), ` +
      `${typical('house', 'database')} in the database (${typical('peer', 'database')}) and ${typical('house', 'load')} in the load.`,
  };
}
