/** A wire between an instance and its database that can go dead without a word. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Ending } from './processes.ts';

interface Proxy {
  readonly databaseUrl: string;
  /**
   * Nothing passes any more on those connections over which such a statement once went; none is
   * closed.
   */
  goDead(statement: string): void;
  /** Each answer takes so much longer. */
  slowDown(milliseconds: number): void;
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  said: string;
  isDead: boolean;
}

export async function openProxy(t: Ending, databaseUrl: string): Promise<Proxy> {
  const lines: Line[] = [];
  let delay = 0;
  const target = new URL(databaseUrl);
  const place = { path: `${target.searchParams.get('host')}/.s.PGSQL.${target.port}` };
  const server = createServer((near) => {
    const line: Line = { near, far: connect(place), said: '', isDead: false };
    lines.push(line);
    near.on('data', (bytes) => {
      line.said += bytes.toString('latin1');
      if (!line.isDead) line.far.write(bytes);
    });
    const answer = (bytes: string | Buffer) => {
      if (!line.isDead) near.write(bytes);
    };
    line.far.on('data', (bytes) => {
      if (delay === 0) return answer(bytes);
      setTimeout(answer, delay, bytes);
    });
    for (const [one, other] of [
      [near, line.far],
      [line.far, near],
    ] as const) {
      one.on('error', () => {});
      one.once('close', () => {
        if (!line.isDead) other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const { near, far } of lines) {
      near.destroy();
      far.destroy();
    }
  });

  target.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  target.search = '';
  return {
    databaseUrl: target.href,
    goDead(statement) {
      for (const line of lines) line.isDead ||= line.said.includes(statement);
    },
    slowDown(milliseconds) {
      delay = milliseconds;
    },
  };
}
