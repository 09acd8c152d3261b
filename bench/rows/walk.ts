import { get, type Line, openLine } from '../load.ts';
import { type Finding, median, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const PAGE = 100;

/** P4: every order of the big organisation by one client, page after page. */
export async function walk(stand: Stand): Promise<Finding[]> {
  const { big } = stand.set;
  const peer = await stand.peer('pages');
  const house = walker(stand.house.port, (cursor) =>
    get(`/v1/orders?limit=${PAGE}${cursor ? `&cursor=${cursor}` : ''}`, big.key),
  );
  const bare = walker(peer.port, (cursor) => get(`/walk?limit=${PAGE}${cursor ? `&after=${cursor}` : ''}`));
  // Both walk the whole way, in turns of a twentieth of it.
  const turns = 20;
  const pages = Math.ceil(big.orders / PAGE / turns);
  const took = await takeTurns(turns, { house: () => house.walk(pages), bare: () => bare.walk(pages) });
  const orders = [house, bare].map((one) => one.close());
  const ratios = ratiosOf(took.bare, took.house);
  const whole = (milliseconds: number[]) => {
    const seconds = milliseconds.reduce((sum, turn) => sum + turn, 0) / 1000;
    return `${seconds.toFixed(1)} s (${Math.round(big.orders / seconds)} orders/s)`;
  };
  const isWhole = orders.every((count) => count === big.orders);
  return [
    {
      row: 'P4',
      what: `walk of ${big.orders} orders in pages of ${PAGE}, one client`,
      figure: `${whole(took.house)} beside ${whole(took.bare)}`,
      ratios,
      bar: '≥ 0.80',
      passes: isWhole && median(ratios) >= 0.8,
      limit: isWhole
        ? 'One page after the other: database, house and client wait for each other.'
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
        if (status !== 200 || end < 0) throw new Error(`the walk stopped: ${status} ${body.slice(0, 200)}`);
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
