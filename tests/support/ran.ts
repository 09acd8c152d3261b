import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A program that came to its end. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Of standard output. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the command said
  readonly json: any;
}

export async function ranOf(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout);
    },
  };
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream
    ? (await Array.fromAsync(stream.setEncoding('utf8') as AsyncIterable<string>)).join('')
    : '';
}
