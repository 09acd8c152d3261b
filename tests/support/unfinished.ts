import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** A POST that the server has begun to read. */
interface Unfinished {
  /** Sends the last byte of its body. */
  finish(): Promise<{
    status: number | undefined;
    headers: IncomingMessage['headers'];
    text: string;
  }>;
}

/** Sends a POST but for the last byte of its body. */
export async function beginPost(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Unfinished> {
  const length = Buffer.byteLength(body);
  const sent = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...headers,
      'content-length': length,
      expect: '100-continue',
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, -1));
  return {
    async finish() {
      sent.end(body.slice(-1));
      const [answer] = await answered;
      let text = '';
      for await (const part of answer) text += part;
      return { status: answer.statusCode, headers: answer.headers, text };
    },
  };
}
