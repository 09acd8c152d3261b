import type { Stream, StreamName } from '../../connectors/contract.ts';
import type { UpstreamKind } from '../../connectors/upstream-error.ts';
import { type SealedConnection, setAsideIds, takeBack } from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import type { StepCall } from '../wire/call.ts';
import { asUpstream } from '../wire/errors.ts';
import { originOfOne } from './origin.ts';
import { storeReads } from './store-reads.ts';
import { noteReadable } from './too-large.ts';

const AT_ONCE = 20;
/** Goes on while most rows can be read, which means that their fault is over. */
const MOST_ROUNDS = 10;
/** Failures of one thing that do not concern the others. */
const OF_THAT_THING: readonly UpstreamKind[] = [
  'refused',
  'forbidden',
  'unreadable',
  'too_large',
  'endless',
];

/**
 * Requests some of the rows set aside again, one by one. Those that can be read are stored, even if
 * no list shows them any more.
 * @throws UpstreamError
 */
export async function repairStream(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
): Promise<void> {
  const organization = parts.database.within(connection.organizationId);
  const repair = async (id: string): Promise<boolean> => {
    const origin = originOfOne(connection, parts.clock);
    const reads = await askAgain(stream, call, connection.service, id);
    if (reads.length === 0) return false;
    const { isWhole } = await storeReads(parts, name, origin, reads);
    if (!isWhole) return false;
    await organization.write(async (scope) => {
      await takeBack(scope, connection.id, name, id);
      await noteReadable(scope, connection.id, name, id);
    });
    return true;
  };
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const ids = await organization.read((scope) =>
      setAsideIds(scope, connection.id, name, AT_ONCE),
    );
    let repaired = 0;
    for (const id of ids) if (await repair(id)) repaired++;
    if (repaired < AT_ONCE / 2) return;
  }
}

/** Requests one thing; empty = there is none, or it alone cannot be had. @throws UpstreamError */
export async function askAgain(
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  service: string,
  id: string,
) {
  try {
    return (await stream.one?.(call.step(), id)) ?? [];
  } catch (thrown) {
    const error = asUpstream(thrown, service);
    if (error && OF_THAT_THING.includes(error.kind)) return [];
    throw thrown;
  }
}
