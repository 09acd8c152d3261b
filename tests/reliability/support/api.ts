/** Callers of the API, as a customer's program would be one. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Milliseconds from sending to the last byte. */
  readonly milliseconds: number;
}

export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: string): Promise<Answer>;
  close(): void;
}

/** A customer with so many connections that are kept open. */
export function openCaller(url: string, key: string | null, connections = 1): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  return {
    get: (path, headers) => call(url, path, { agent, headers: { ...authorization, ...headers } }),
    post: (path, body) =>
      call(
        url,
        path,
        {
          agent,
          method: 'POST',
          headers: { ...authorization, 'content-type': 'application/json' },
        },
        body,
      ),
    close: () => agent.destroy(),
  };
}

interface Options {
  readonly agent: Agent;
  readonly method?: string;
  readonly headers: Record<string, string>;
}

function call(base: string, path: string, options: Options, body?: string): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, base), options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        if (!response.complete) return reject(new Error('the answer was cut off'));
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString('utf8'),
          milliseconds: performance.now() - startedAt,
        });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

export function statusesOf(answers: readonly { readonly status: number }[]): number[] {
  return [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b);
}
