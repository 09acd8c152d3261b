import type { Call, Pass, Read, SourceInvoice, Stream } from '../contract.ts';
import { apart, parseOrNull, tooLargeIn } from '../kit.ts';
import type { VtexCredentials } from './credentials.ts';
import { behindLarge, PAGE_SIZE, readSlice, type Slice, sliceOf } from './slices.ts';
import { OrderRow, readInvoices } from './wire.ts';

/** What the seller posted to the packages of invoiced orders; VTEX itself issues nothing. */
export const invoices: Stream<SourceInvoice, VtexCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 60 },
  pageSize: PAGE_SIZE,

  async page(call, pass) {
    const { rows, next } = await readSlice(call, 'invoicedDate', positionOf(pass), pass.limit);
    const ids = rows
      .map((row) => OrderRow.safeParse(row).data?.orderId)
      .filter((id) => id !== undefined);
    const items = (
      await Promise.all(ids.map((id) => apart(id, () => readOrderInvoices(call, id))))
    ).flat();
    return { items, next: next && JSON.stringify(next) };
  },

  async tooLarge(_, pass) {
    const next = JSON.stringify(behindLarge(positionOf(pass)));
    return { items: [tooLargeIn('/api/oms/pvt/orders')], next };
  },
};

function positionOf({ window, position }: Pass): Slice {
  return position === null ? sliceOf(window) : JSON.parse(position);
}

async function readOrderInvoices(
  call: Call<VtexCredentials>,
  id: string,
): Promise<Read<SourceInvoice>[]> {
  const path = `/api/oms/pvt/orders/${encodeURIComponent(id)}`;
  const { status, body } = await call.request({ method: 'GET', path, expect: [404] });
  return status === 404 ? [] : readInvoices(id, parseOrNull(body));
}
