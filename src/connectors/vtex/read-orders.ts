import { documentOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Read, SourceOrder } from '../contract.ts';
import { readOne } from '../read-rows.ts';
import type { VtexCredentials } from './credentials.ts';
import { isIncomplete, toSourceOrder } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

/** Why an order was not read: it has no status yet, or VTEX knows no such order. */
export type Unready = ReadonlyMap<string, 'incomplete' | 'missing'>;

/** Reads single orders; each that cannot be read is set aside alone. */
export async function readOrders(
  call: VtexCall,
  ids: readonly string[],
): Promise<{ reads: Read<SourceOrder>[]; unready: Unready }> {
  const unready = new Map<string, 'incomplete' | 'missing'>();
  const found = await Promise.all(
    ids.map((id) =>
      apart(id, async () => {
        const read = await readOrder(call, id);
        if (typeof read !== 'string') return read;
        unready.set(id, read);
        return null;
      }),
    ),
  );
  return { reads: found.flat(), unready };
}

async function readOrder(
  call: VtexCall,
  id: string,
): Promise<Read<SourceOrder> | 'incomplete' | 'missing'> {
  const path = `/api/oms/pvt/orders/${encodeURIComponent(id)}`;
  const answer = await call.request({ method: 'GET', path, expect: [404] });
  if (answer.status === 404) return 'missing';
  const document = documentOrNull(answer);
  if (isIncomplete(document)) return 'incomplete';
  return readOne(
    document,
    (row) => toSourceOrder(row, answer.fetchedAt),
    () => id,
  );
}
