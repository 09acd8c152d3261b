import pg from 'pg';
import type { Statement } from './query.ts';

/** The columns of a row in their order. */
export type TextRow = readonly (string | null)[];

/** What the driver's connection does for a query of one's own. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly unknown[]; binary: boolean }): void;
  execute(portal: object): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils;

/**
 * Runs a prepared statement all of whose columns are texts. The driver's own way asks for a
 * description of every answer and builds rows of it, which for one long text is most of the work.
 */
export function readTexts(
  client: pg.ClientBase,
  { name, text }: Statement<unknown>,
  values: readonly unknown[],
): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const rows: TextRow[] = [];
    const parameters = values.map(prepareValue);
    client.query({
      // The driver remembers by these which statements a connection knows.
      name,
      text,
      submit(connection: pg.Connection) {
        const wire = connection as unknown as Wire;
        wire.stream.cork();
        if (wire.parsedStatements[name] === undefined) wire.parse({ name, text });
        // A text is the same either way, but only in the binary one does the server not look for
        // its end.
        wire.bind({ statement: name, values: parameters, binary: true });
        wire.execute({});
        wire.sync();
        wire.stream.uncork();
      },
      handleDataRow({ fields }: { fields: TextRow }) {
        rows.push(fields);
      },
      handleCommandComplete() {},
      handleReadyForQuery() {
        resolve(rows);
      },
      handleError: reject,
    } as pg.Submittable);
  });
}
