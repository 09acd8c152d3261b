/**
 * Callers of many organisations, as a program of their own: `flood.ts URL PATHS SECONDS LOAD KEY …`
 *
 * `PATHS` are separated by spaces; each key asks for each of them in turn. `LOAD` is `closed:N`, N callers who ask again as soon as they are answered, or `open:N`, N
 * requests a second whether or not those before them were answered. Prints `Flooded` as one line of
 * JSON.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Ending, startProgram } from './processes.ts';

interface Flooded {
  /** Requests. */
  readonly sentPerSecond: number;
  /** Answers with 200 before the sending ended. */
  readonly servedPerSecond: number;
  /** How often each status came, and `none` for no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of the answers with 200. */
  readonly served: Times;
  readonly refused: Times;
  /** Refusals that do not say when to come again. */
  readonly withoutRetryAfter: number;
}

/** In milliseconds; 0 where there are none. */
interface Times {
  readonly median: number;
  readonly p99: number;
}

interface Answered {
  readonly status: string;
  readonly milliseconds: number;
  readonly isInTime: boolean;
  readonly saysWhen: boolean;
}

interface Line {
  /** @returns the head of the answer, once all of it is there; null = the connection broke */
  ask(request: string): Promise<string | null>;
  /** Whether it may be asked again. */
  isOpen(): boolean;
}

const TICK_MS = 5;
/** Before the instance closes it: a request that meets the close has no answer, as HTTP has it. */
const LONGEST_IDLE_MS = 20_000;
/** Longer than a request may take. */
const ANSWERED_WITHIN_MS = 20_000;
const REFUSALS = ['429', '503'];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url = '', paths = '', seconds, load = '', ...keys] = process.argv.slice(2);
  const flooded = await flood({ url, paths, milliseconds: Number(seconds) * 1_000, load, keys });
  process.stdout.write(`${JSON.stringify(flooded)}\n`, () => process.exit());
}

/** @param load as the program takes it */
export async function startFlood(
  own: Ending,
  url: string,
  { paths, keys }: { readonly paths: string; readonly keys: readonly string[] },
  seconds: number,
  load: string,
): Promise<Flooded> {
  const args = [url, paths, String(seconds), load, ...keys];
  const program = startProgram(own, 'tests/reliability/support/flood.ts', args);
  await program.ended;
  const [line] = program.lines.slice(-1);
  if (!line?.startsWith('{')) throw new Error(`the flood broke off:\n${program.lines.join('\n')}`);
  return JSON.parse(line);
}

interface Flood {
  readonly url: string;
  readonly paths: string;
  readonly milliseconds: number;
  readonly load: string;
  readonly keys: readonly string[];
}

async function flood({ url, paths, milliseconds, load, keys }: Flood): Promise<Flooded> {
  const { hostname, port } = new URL(url);
  const requests = keys.flatMap((key) =>
    paths
      .split(' ')
      .map(
        (path) =>
          `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      ),
  );
  const open = () => openLine(Number(port), hostname);
  const answers: Answered[] = [];
  let asked = 0;
  const began = performance.now();
  const passed = () => performance.now() - began;
  const ask = async (line: Line) => {
    const askedAt = performance.now();
    const head = await line.ask(requests[asked++ % requests.length] as string);
    answers.push({
      status: head?.slice(9, 12) ?? 'none',
      milliseconds: performance.now() - askedAt,
      isInTime: passed() < milliseconds,
      saysWhen: head !== null && /\r\nretry-after: [1-9]\d*\r\n/i.test(head),
    });
  };

  const [kind, count] = load.split(':');
  if (kind === 'closed') {
    const call = async () => {
      let line = open();
      for (; passed() < milliseconds; await ask(line)) if (!line.isOpen()) line = open();
    };
    await Promise.all(Array.from({ length: Number(count) }, call));
  } else {
    const idle: Line[] = [];
    const askOnce = async (line: Line) => {
      await ask(line);
      if (line.isOpen()) idle.push(line);
    };
    for (; passed() < milliseconds; await sleep(TICK_MS))
      while (asked < (passed() * Number(count)) / 1_000) void askOnce(idleLine(idle) ?? open());
  }
  const gaveUpAt = performance.now() + ANSWERED_WITHIN_MS;
  while (answers.length < asked && performance.now() < gaveUpAt) await sleep(TICK_MS);
  return summary(answers, asked, milliseconds);
}

function idleLine(idle: Line[]): Line | null {
  for (let line = idle.pop(); line; line = idle.pop()) if (line.isOpen()) return line;
  return null;
}

function summary(answers: readonly Answered[], asked: number, milliseconds: number): Flooded {
  const served = answers.filter(({ status }) => status === '200');
  const refused = answers.filter(({ status }) => REFUSALS.includes(status));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  const counts = Object.fromEntries([...statuses].map(([status, all]) => [status, all.length]));
  const unanswered = (counts.none ?? 0) + asked - answers.length;
  return {
    sentPerSecond: (asked * 1_000) / milliseconds,
    servedPerSecond: (served.filter(({ isInTime }) => isInTime).length * 1_000) / milliseconds,
    statuses: { ...counts, ...(unanswered > 0 && { none: unanswered }) },
    served: timesOf(served),
    refused: timesOf(refused),
    withoutRetryAfter: refused.filter(({ saysWhen }) => !saysWhen).length,
  };
}

function timesOf(answers: readonly Answered[]): Times {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), p99: at(0.99) };
}

/** A connection that asks one thing at a time and keeps no bodies: both sides share the cores. */
function openLine(port: number, host: string): Line {
  let settle: (head: string | null) => void = () => {};
  let received = '';
  let left: number | null = null;
  let answeredAt = performance.now();
  const socket = connect({ port, host, noDelay: true });
  socket.on('error', () => {});
  socket.once('close', () => settle(null));
  socket.on('data', (bytes) => {
    let body = bytes.length;
    if (left === null) {
      received += bytes.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      left = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
      body = received.length - end - 4;
      received = received.slice(0, end + 2);
    }
    left -= body;
    if (left > 0) return;
    const head = received;
    [received, left] = ['', null];
    answeredAt = performance.now();
    settle(head);
  });
  return {
    ask: (request) =>
      new Promise((resolve) => {
        settle = resolve;
        if (socket.destroyed) return resolve(null);
        socket.write(request);
      }),
    isOpen: () => {
      if (performance.now() - answeredAt > LONGEST_IDLE_MS) socket.destroy();
      return !socket.destroyed;
    },
  };
}
