import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** A connection of one's own, whose statements are raw. */
export type Client = pg.Client;

/** Parts of the driver's protocol that a query may handle itself. */
interface Wire {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** What the driver calls of a query that it was given. */
abstract class CopyQuery {
  readonly text: string;
  readonly done: Promise<void>;
  protected readonly settle: { resolve: () => void; reject: (error: Error) => void };
  #error: Error | null = null;

  constructor(text: string) {
    this.text = text;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.settle = { resolve, reject };
    // Its caller awaits it later; a failure before that is not unhandled.
    promise.catch(() => {});
  }

  submit(wire: Wire): void {
    wire.query(this.text);
  }

  handleError(error: Error): void {
    this.#error ??= error;
    this.ended(error);
    // After a failure of the connection nothing else comes.
    this.settle.reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#error) this.settle.reject(this.#error);
    else this.settle.resolve();
    this.ended(this.#error);
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  protected abstract ended(error: Error | null): void;
}

const MOST_WAITING_BYTES = 4_000_000;

class CopyOut extends CopyQuery {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | null = null;
  #wire: Wire | null = null;

  override submit(wire: Wire): void {
    this.#wire = wire;
    super.submit(wire);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The driver reuses its buffer.
    this.#chunks.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_WAITING_BYTES) this.#wire?.stream.pause();
    this.#wake?.();
  }

  protected override ended(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const [chunks, bytes] = [this.#chunks, this.#bytes];
      this.#chunks = [];
      this.#bytes = 0;
      if (bytes > MOST_WAITING_BYTES) this.#wire?.stream.resume();
      if (chunks.length > 0) yield Buffer.concat(chunks, bytes);
      else if (this.#isEnded) return this.done;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}

class CopyIn extends CopyQuery {
  readonly begun: Promise<Wire | null>;
  readonly #begin: (wire: Wire | null) => void;

  constructor(text: string) {
    super(text);
    const { promise, resolve } = Promise.withResolvers<Wire | null>();
    this.begun = promise;
    this.#begin = resolve;
  }

  handleCopyInResponse(wire: Wire): void {
    this.#begin(wire);
  }

  protected override ended(): void {
    this.#begin(null);
  }
}

/** The text of a `copy … to stdout`, in pieces as the server sends them. */
export function copyOut(client: Client, text: string): AsyncGenerator<Buffer> {
  const query = new CopyOut(text);
  client.query(query as unknown as pg.Submittable);
  return query.chunks();
}

/** Sends the text of a `copy … from stdin`. @throws errors of the database and of the source */
export async function copyIn(
  client: Client,
  text: string,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const query = new CopyIn(text);
  client.query(query as unknown as pg.Submittable);
  const wire = await query.begun;
  if (!wire) return query.done;
  try {
    for await (const chunk of chunks) {
      wire.sendCopyFromChunk(chunk);
      if (wire.stream.writableLength > MOST_WAITING_BYTES)
        await Promise.race([once(wire.stream, 'drain'), query.done]);
    }
  } catch (error) {
    wire.sendCopyFail('the source failed');
    await query.done.catch(() => {});
    throw error;
  }
  wire.endCopyFrom();
  await query.done;
}
