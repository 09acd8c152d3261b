import { get, type Line, openLine } from '../load.ts';
import { type Finding, median, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const PAGE = 100;
const ROUNDS = 20;
const TURNS = 25;

/** P4: every order of the big organisation by one client, page after page. */
export async function walk(stand: Stand): Promise<Finding[]> {
  const { big } = stand.set;
  const peer = await stand.peer('pages');
  const walkInstance = () =>
    walker(stand.instance.port, (cursor) =>
      get(`/v1/orders?limit=${PAGE}${cursor ? `&cursor=${cursor}` : ''}`, big.key),
    );
  const walkBare = () =>
    walker(peer.port, (cursor) => get(`/walk?limit=${PAGE}${cursor ? `&after=${cursor}` : ''}`));
  // Both walk the whole way, a few pages at a time: one client leaves the machine idle between its
  // requests, and how soon a machine wakes changes by the second.
  const pages = Math.ceil(big.orders / PAGE / ROUNDS / TURNS);
  // The first ones only warm up.
  for (const one of [walkInstance(), walkBare()]) {
    await one.walk(pages * TURNS);
    one.close();
  }
  const [instance, bare] = [walkInstance(), walkBare()];
  const took = { instance: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const turns = await takeTurns(TURNS, {
      instance: () => instance.walk(pages),
      bare: () => bare.walk(pages),
    });
    took.instance.push(sum(turns.instance));
    took.bare.push(sum(turns.bare));
  }
  const orders = [instance, bare].map((one) => one.close());
  const ratios = ratiosOf(took.bare, took.instance);
  const whole = (milliseconds: number[]) => {
    const seconds = sum(milliseconds) / 1000;
    return `${seconds.toFixed(1)} s (${Math.round(big.orders / seconds)} orders/s)`;
  };
  const isWhole = orders.every((count) => count === big.orders);
  return [
    {
      row: 'P4',
      what: `walk of ${big.orders} orders in pages of ${PAGE}, one client`,
      figure: `${whole(took.instance)} beside ${whole(took.bare)}`,
      ratios,
      bar: '≥ 0.80',
      passes: isWhole && median(ratios) >= 0.8,
      limit: isWhole
        ? 'One page after the other: database, instance and client wait for each other.'
        : `The walks ended with ${orders.join(' and ')} orders.`,
    },
  ];
}

function walker(port: number, request: (cursor: string | null) => Buffer) {
  const line: Line = openLine(port);
  let cursor: string | null = null;
  let orders = 0;
  return {
    /** @returns milliseconds for so many pages */
    async walk(pages: number): Promise<number> {
      const began = performance.now();
      for (let page = 0; page < pages; page++) {
        const { status, body } = await line.ask(request(cursor));
        const end = body.lastIndexOf('"pagination":{"next_cursor":');
        if (status !== 200 || end < 0)
          throw new Error(`the walk stopped: ${status} ${body.slice(0, 200)}`);
        cursor = /"next_cursor":(?:"([^"]+)"|null)/.exec(body.slice(end))?.[1] ?? null;
        orders += cursor ? PAGE : JSON.parse(body).data.length;
        if (!cursor) break;
      }
      return performance.now() - began;
    },
    close() {
      line.close();
      return orders;
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
