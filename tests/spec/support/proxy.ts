import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../src/platform/db/database.ts';

/** A way to the database that can be stopped up or cut, as networks are. */
interface Proxy {
  /** The `DATABASE_URL` of the database behind it. */
  readonly url: string;
  /** Bytes wait, in both directions. */
  stall(): void;
  /** They go on. */
  flow(): void;
  /** Connections break, and new ones are refused until `flow`. */
  cut(): void;
  close(): Promise<void>;
}

export async function openProxy(address: Address): Promise<Proxy> {
  const behind = targetOf(address);
  const sockets = new Set<Socket>();
  let waiting: (() => void)[] = [];
  let state: 'flowing' | 'stalled' | 'cut' = 'flowing';

  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('error', () => {});
    from.on('data', (part) => {
      const pass = () => void (to.writable && to.write(part));
      if (state === 'stalled') waiting.push(pass);
      else pass();
    });
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = behind.open();
    forward(near, far);
    forward(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: behind.urlAt((server.address() as { port: number }).port),
    stall() {
      state = 'stalled';
    },
    flow() {
      state = 'flowing';
      for (const pass of waiting) pass();
      waiting = [];
    },
    cut() {
      state = 'cut';
      breakAll();
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function targetOf(address: Address): { open(): Socket; urlAt(port: number): string } {
  if ('url' in address) {
    const url = new URL(address.url);
    const folder = url.searchParams.get('host');
    const port = Number(url.port || 5432);
    const through = (at: number) => {
      const proxied = Object.assign(new URL(url), { host: `127.0.0.1:${at}` });
      proxied.searchParams.delete('host');
      return proxied.href;
    };
    return {
      open: () => (folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, url.hostname)),
      urlAt: through,
    };
  }
  const { host, port, user, database } = address;
  return {
    open: () => connect(`${host}/.s.PGSQL.${port}`),
    urlAt: (at) => `postgres://${user}@127.0.0.1:${at}/${database}`,
  };
}
