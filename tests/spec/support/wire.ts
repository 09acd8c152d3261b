import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { SeenAnswer } from '../../support/contract.ts';

/** Speaks HTTP byte by byte, for requests that no client library would send. */
interface Wire {
  /**
   * Sends the bytes unchanged and reads one answer; null when the server hung up without any.
   */
  send(bytes: string | Buffer): Promise<WireAnswer | null>;
  close(): void;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed. */
  readonly text: string;
  /** Whether the server hung up after it. */
  readonly closed: boolean;
}

const PATIENCE_MS = 60_000;

/** One connection, opened again whenever the server closes it. */
export function openWire(base: string): Wire {
  const { hostname, port } = new URL(base);
  let socket: Socket | null = null;

  async function ready(): Promise<Socket> {
    if (socket?.writable) return socket;
    socket = connect(Number(port), hostname).setNoDelay(true);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  return {
    async send(bytes) {
      const line = await ready();
      const method = bytes.toString('latin1').split(' ', 1)[0] ?? '';
      const answer = readAnswer(line, method === 'HEAD');
      line.write(bytes);
      const seen = await answer;
      if (!seen || seen.closed) {
        line.destroy();
        socket = null;
      }
      return seen;
    },
    close: () => void socket?.destroy(),
  };
}

/** One request on a connection of its own. */
export async function sendOnce(base: string, bytes: string | Buffer): Promise<WireAnswer> {
  const wire = openWire(base);
  try {
    const answer = await wire.send(bytes);
    if (!answer)
      throw new Error(`no answer to ${JSON.stringify(bytes.toString('latin1').slice(0, 80))}`);
    return answer;
  } finally {
    wire.close();
  }
}

/** For `assertKeepsContract`. */
export function seen(answer: WireAnswer, method: string, url: string): SeenAnswer {
  return { method, url, status: answer.status, headers: answer.headers, text: answer.text };
}

function readAnswer(socket: Socket, isHead: boolean): Promise<WireAnswer | null> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (answer: WireAnswer | null) => {
      clearTimeout(timer);
      socket.off('data', take).off('close', leave);
      resolve(answer);
    };
    const take = (part: Buffer) => {
      received = Buffer.concat([received, part]);
      const answer = parse(received, isHead);
      if (answer) finish(answer);
    };
    const leave = () => finish(null);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole answer within ${PATIENCE_MS} ms: ${received.subarray(0, 200)}`));
    }, PATIENCE_MS);
    socket.on('data', take).on('close', leave);
  });
}

/** The answer, once all of it is there. */
function parse(bytes: Buffer, isHead: boolean): WireAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return parse(rest, isHead);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const body = isHead ? Buffer.alloc(0) : bodyOf(headers, rest);
  if (!body) return null;
  return {
    status,
    headers,
    text: decompress(headers, body).toString('utf8'),
    closed: headers.get('connection') === 'close',
  };
}

function bodyOf(headers: Headers, rest: Buffer): Buffer | null {
  if (headers.get('transfer-encoding') === 'chunked') return unchunk(rest);
  const length = Number(headers.get('content-length') ?? 0);
  return rest.length < length ? null : rest.subarray(0, length);
}

function unchunk(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return null;
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (bytes.length < end + 2 + size + 2) return null;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function decompress(headers: Headers, body: Buffer): Buffer {
  const encoding = headers.get('content-encoding');
  if (body.length === 0 || encoding === null) return body;
  return encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body);
}
