import { connect, type Socket } from 'node:net';

/**
 * A server under load, and the request that it gets; a client of our own, since two cores must
 * carry all three.
 */
interface Answer {
  readonly status: number;
  /** Empty unless the line keeps bodies. */
  readonly body: string;
}

/** A keep-alive connection that asks one thing at a time. */
export interface Line {
  ask(request: Buffer): Promise<Answer>;
  close(): void;
}

interface Load {
  readonly perSecond: number;
  readonly requests: number;
}

/** With a key of ours, or with headers. */
export function get(path: string, as: string | Readonly<Record<string, string>> = {}): Buffer {
  const headers = typeof as === 'string' ? { authorization: `Bearer ${as}` } : as;
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${written({ host: '127.0.0.1', ...headers })}\r\n`);
}

export function post(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const lines = written({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
}

function written(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** One request for all, or one made for each. */
export type Requests = Buffer | (() => Buffer);

/** Sends one request after the other over so many connections; every answer must be a 200. */
export function hammer(
  port: number,
  requests: Requests,
  { connections, milliseconds }: { connections: number; milliseconds: number },
): Promise<Load> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const ends = began + milliseconds;
    const next = Buffer.isBuffer(requests) ? () => requests : requests;
    let answered = 0;
    let open = connections;
    for (let opened = 0; opened < connections; opened++) {
      const socket = openSocket(port, false, reject, ({ status }) => {
        if (status !== 200) return reject(new Error(`the answer was ${status}`));
        answered++;
        if (performance.now() < ends) return void socket.write(next());
        socket.destroy();
        if (--open === 0)
          resolve({
            requests: answered,
            perSecond: (answered * 1000) / (performance.now() - began),
          });
      });
      socket.write(next());
    }
  });
}

export function openLine(port: number): Line {
  let settle: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  const socket = openSocket(
    port,
    true,
    (error) => settle?.reject(error),
    (answer) => settle?.resolve(answer),
  );
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

function openSocket(
  port: number,
  keepsBody: boolean,
  onError: (error: Error) => void,
  onAnswer: (answer: Answer) => void,
): Socket {
  const read = reader(keepsBody, onAnswer);
  // One buffer a socket, used again for every read: nothing for the collector to do.
  const buffer = Buffer.allocUnsafe(128 * 1024);
  const callback = (bytes: number) => {
    read(buffer.subarray(0, bytes));
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
  socket.on('error', onError);
  socket.on('end', () => onError(new Error('the server closed the connection')));
  return socket;
}

/**
 * Reads answers that have a Content-Length and whose head comes in one piece, as those of node:http
 * do.
 */
function reader(keepsBody: boolean, onAnswer: (answer: Answer) => void): (chunk: Buffer) => void {
  let left = -1;
  let status = 0;
  let kept: Buffer[] = [];
  return (received) => {
    let chunk = received;
    if (left < 0) {
      const end = chunk.indexOf('\r\n\r\n');
      const head = chunk.toString('latin1', 0, end);
      status = Number(head.slice(9, 12));
      left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
      if (end < 0 || Number.isNaN(left)) throw new Error(`unexpected answer: ${head}`);
      chunk = chunk.subarray(end + 4);
    }
    left -= chunk.length;
    if (keepsBody) kept.push(Buffer.from(chunk));
    if (left > 0) return;
    left = -1;
    const body = keepsBody ? Buffer.concat(kept).toString() : '';
    kept = [];
    onAnswer({ status, body });
  };
}
