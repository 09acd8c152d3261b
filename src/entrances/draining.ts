import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Rounds of quiet time after which idle connections are closed although requests still come. */
const MOST_QUIET_ROUNDS = 3;
const CLOSE_IDLE_EVERY_MS = 100;
/** More than the listen backlog holds. */
const MOST_BACKLOG_ROUNDS = 1_000;

/**
 * Accepts the connections of the listen backlog, one in each turn of the event loop: the system
 * would reset them with the listening socket.
 */
export async function acceptBacklog(server: Server): Promise<void> {
  let accepted = 0;
  server.on('connection', () => accepted++);
  for (
    let [round, before] = [1, -1];
    accepted !== before && round <= MOST_BACKLOG_ROUNDS;
    round++
  ) {
    before = accepted;
    await turnOfTheLoop();
    // The first turn may be under way, with the backlog already looked at.
    await turnOfTheLoop();
  }
}

/**
 * Stops listening and ends the connections. Idle ones stay open until no request came on any
 * connection for `quietMs`: a request that is on its way is still answered, as its connection's
 * last.
 */
export async function drain(server: Server, quietMs: number): Promise<void> {
  let requests = 0;
  server.on('request', () => requests++);
  // The HTTP server's own close would end idle connections at once.
  const closed = new Promise<true>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve(true)),
  );
  for (let [round, closesIdle] = [1, false]; ; round++) {
    const before = requests;
    if (await Promise.race([closed, passed(closesIdle ? CLOSE_IDLE_EVERY_MS : quietMs)])) return;
    closesIdle ||= requests === before || round === MOST_QUIET_ROUNDS;
    if (closesIdle) server.closeIdleConnections();
  }
}

/** Resolves after so long, once what arrived while the process was busy was read. */
async function passed(milliseconds: number): Promise<false> {
  await sleep(milliseconds, null, { ref: false });
  await turnOfTheLoop();
  return false;
}
