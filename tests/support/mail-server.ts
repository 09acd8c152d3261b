import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { plainText } from './visitor.ts';

interface MailServer {
  readonly port: number;
  /** The first mail that it took. */
  readonly taken: Promise<string>;
  /** How often it said that it cannot now. */
  refused(): number;
}

interface MailServerOptions {
  /** How often it cannot talk at all. */
  readonly refusals?: number;
  /** What it answers to the first recipients, such as `550 5.1.1`. */
  readonly recipients?: readonly string[];
}

/** A mail server of a few lines, which takes every mail but the first ones. */
export async function startMailServer(
  t: Pick<TestContext, 'after'>,
  { refusals = 0, recipients = [] }: MailServerOptions,
): Promise<MailServer> {
  const { promise: taken, resolve } = Promise.withResolvers<string>();
  let refused = 0;
  const toRefuse = [...recipients];
  const answerTo = (line: string) => {
    const code = /^rcpt/i.test(line) ? toRefuse.shift() : undefined;
    if (code === undefined) return /^data/i.test(line) ? '354 go on' : '250 well';
    refused++;
    // As many do, with the address.
    return `${code} ${line}: not here`;
  };
  const server = createServer((socket) => {
    if (refused < refusals) {
      refused++;
      socket.end('421 later\r\n');
      return;
    }
    void talk(socket, answerTo, resolve);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, taken, refused: () => refused };
}

async function talk(
  socket: Socket,
  answerTo: (line: string) => string,
  take: (mail: string) => void,
): Promise<void> {
  socket.write('220 ready\r\n');
  let mail: string[] | null = null;
  for await (const line of createInterface({ input: socket })) {
    if (mail === null) {
      if (/^data/i.test(line)) mail = [];
      socket.write(`${answerTo(line)}\r\n`);
    } else if (line === '.') {
      take(plainText(mail.join('\n')));
      mail = null;
      socket.write('250 taken\r\n');
    } else mail.push(line);
  }
}
