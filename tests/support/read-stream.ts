import assert from 'node:assert/strict';
import type { Connector, Read, SourceLedger, Stream } from '../../src/connectors/contract.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import { connectionById } from '../../src/features/connections/index.ts';
import type { TestApp } from './app.ts';

export type StreamName = 'inventory' | 'balances' | 'settlements' | 'invoices';
type ItemOf<Name extends StreamName> =
  NonNullable<Connector<unknown>[Name]> extends Stream<infer Item, unknown>
    ? Exclude<Item, SourceLedger>
    : never;

/**
 * Reads one stream of a connection to its end, without storing anything and without the ledgers
 * among its items; `between` runs after each page.
 */
export async function readStream<Name extends StreamName>(
  instance: TestApp,
  connectionId: string,
  name: Name,
  between: () => void = () => {},
): Promise<ItemOf<Name>[]> {
  const connection = await instance.app.database
    .within(instance.organization.id)
    .read((scope) => connectionById(scope, connectionId));
  assert.ok(connection);
  const { connector, call } = openConnection(instance.app.exchange, connection);
  const stream = connector[name] as Stream<ItemOf<Name>, unknown> | undefined;
  assert.ok(stream, `${connection.service} offers no ${name}`);
  const window = { from: null, to: instance.clock.now() };
  const reads: Read<ItemOf<Name>>[] = [];
  let position: string | null = null;
  do {
    const page = await stream.page(call, {
      window,
      position,
      limit: stream.pageSize ?? 1,
      nonFinalIds: async () => [],
      deliveredIds: async () => [],
      states: async () => new Map(),
    });
    reads.push(...page.items.filter((read) => !(read.ok && 'movements' in (read.item as object))));
    position = page.next;
    between();
  } while (position !== null);
  return reads.map((one) => (one.ok ? one.item : assert.fail(one.reason)));
}
