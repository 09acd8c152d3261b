/** What 100,000 organisations and a billion orders need, from what one server of data was seen to do. */

interface Seen {
  readonly organizations: number;
  readonly connections: number;
  readonly orders: number;
  readonly bytes: number;
  /** Jobs that ticks make of what is due, in a second of their work. */
  readonly plannedASecond: number;
  /** Sync runs without a change that one worker does in a second. */
  readonly runsASecond: number;
  /** Sync runs of all connections that become due in a second. */
  readonly dueASecond: number;
}

const ORGANIZATIONS = 100_000;
const ORDERS = 1_000_000_000;
/** What one server of data should hold: beyond that a backup and a rebuilt index take too long. */
const TERABYTES_A_SERVER = 1;
/** A primary and its standby. */
const COPIES = 2;
/** Prices of rented machines, in US dollars a month; to be replaced by those of the day. */
const PRICE = { terabyte: 100, dataServer: 300, worker: 25 };

/** @returns lines of Markdown, each with its formula */
export function extrapolate(seen: Seen): string[] {
  const bytesAnOrder = seen.bytes / seen.orders;
  const terabytes = (bytesAnOrder * ORDERS) / 1e12;
  const connections = (seen.connections / seen.organizations) * ORGANIZATIONS;
  const servers = Math.ceil(terabytes / TERABYTES_A_SERVER);
  const dueOfOne = seen.dueASecond / seen.connections;
  const due = connections * dueOfOne;
  const workers = Math.ceil(due / seen.runsASecond);
  const planning = due / seen.plannedASecond;
  const money =
    servers * COPIES * PRICE.dataServer +
    terabytes * COPIES * PRICE.terabyte +
    workers * PRICE.worker;
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return [
    '| what | formula | for 100,000 organisations and 1,000,000,000 orders |',
    '|---|---|---|',
    `| disk | ${whole(bytesAnOrder)} bytes an order × orders | ${terabytes.toFixed(1)} TB, and as much for each standby |`,
    `| servers of data | disk ÷ ${TERABYTES_A_SERVER} TB, rounded up; × ${COPIES} with standbys | ${servers} (${servers * COPIES}) |`,
    `| sync runs that become due | ${whole(connections)} connections × ${(dueOfOne * 1_000).toFixed(2)} in 1,000 s | ${whole(due)} a second |`,
    `| the tick | due ÷ ${whole(seen.plannedASecond)} planned in a second of its work | ${planning.toFixed(2)} s of each second |`,
    `| worker processes | due ÷ ${seen.runsASecond.toFixed(1)} quiet runs a second of one | ${whole(workers)} |`,
    `| money | servers × ${COPIES} × $${PRICE.dataServer} + TB × ${COPIES} × $${PRICE.terabyte} + workers × $${PRICE.worker} | about $${whole(money)} a month |`,
  ];
}
