import type { Call, Stream, StreamName } from '../connectors/contract.ts';
import { type SealedConnection, setAside, setAsideIds, takeBack } from '../features/connections/index.ts';
import { asUpstream, type UpstreamKind } from './errors.ts';
import { assertNoneLeft, keepingOf } from './keep.ts';
import type { ExchangeParts } from './parts.ts';

const REPAIRS_AT_ONCE = 20;
/** What one thing may answer without anything being wrong with the others. */
const OF_THAT_THING: readonly UpstreamKind[] = ['refused', 'forbidden', 'unreadable'];

/**
 * Asks again, one by one, for some of the things that were set aside: those that can be read by now come in,
 * also where no list shows them any more.
 * @throws UpstreamError
 */
export async function repairStream(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  stream: Stream<unknown, unknown>,
  call: Call<unknown>,
): Promise<void> {
  const organization = parts.database.within(connection.organizationId);
  const ids = await organization.read((scope) => setAsideIds(scope, connection.id, name, REPAIRS_AT_ONCE));
  for (const id of ids) {
    const origin = { connection, isFirstImport: false, startedAt: parts.clock.now() };
    const reads = await askAgain(stream, call, connection.service, id);
    if (reads.length === 0) continue;
    const readable = reads.filter((read) => read.ok).map((read) => read.item);
    const unreadable = reads.filter((read) => !read.ok);
    await organization.write(async (scope) => {
      await assertNoneLeft(scope, [connection]);
      await keepingOf(name).keep(parts, scope, readable, origin);
      await setAside(scope, connection.id, name, unreadable);
      if (unreadable.length === 0) await takeBack(scope, connection.id, name, id);
    });
  }
}

async function askAgain(stream: Stream<unknown, unknown>, call: Call<unknown>, service: string, id: string) {
  try {
    return (await stream.one?.(call, id)) ?? [];
  } catch (thrown) {
    const error = asUpstream(thrown, service);
    if (error && OF_THAT_THING.includes(error.kind)) return [];
    throw thrown;
  }
}
