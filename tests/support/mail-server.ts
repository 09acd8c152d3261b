import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { plainText } from './visitor.ts';

export interface MailServer {
  readonly port: number;
  /** The first mail that it took. */
  readonly taken: Promise<string>;
  /** How often it said that it cannot now. */
  refused(): number;
}

/** A mail server of a few lines, busy the first times. */
export async function startMailServer(
  t: Pick<TestContext, 'after'>,
  { refusals }: { refusals: number },
): Promise<MailServer> {
  const { promise: taken, resolve } = Promise.withResolvers<string>();
  let refused = 0;
  const server = createServer((socket) => {
    if (refused < refusals) {
      refused++;
      socket.end('421 later\r\n');
      return;
    }
    void talk(socket, resolve);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, taken, refused: () => refused };
}

async function talk(socket: Socket, take: (mail: string) => void): Promise<void> {
  socket.write('220 ready\r\n');
  let mail: string[] | null = null;
  for await (const line of createInterface({ input: socket })) {
    if (mail === null) {
      if (/^data/i.test(line)) mail = [];
      socket.write(/^data/i.test(line) ? '354 go on\r\n' : '250 well\r\n');
    } else if (line === '.') {
      take(plainText(mail.join('\n')));
      mail = null;
      socket.write('250 taken\r\n');
    } else mail.push(line);
  }
}
