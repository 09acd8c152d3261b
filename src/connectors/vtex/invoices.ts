import { parseOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Page, Read, SourceInvoice, Stream, StreamRequest } from '../contract.ts';
import { recheckedCreations } from '../delivered-recheck.ts';
import { tooLargeIn } from '../too-large.ts';
import type { VtexCredentials } from './credentials.ts';
import { behindLarge, PAGE_SIZE, readSlice, type Slice, sliceOf } from './slices.ts';
import { OrderRow, readInvoices } from './wire.ts';

type VtexCall = Call<VtexCredentials>;

const AT_ONCE = 20;

/** A slice of the list by day of invoicing, or stored orders that are checked again. */
type Position = Slice | { readonly after: string | null };

/**
 * What the seller posted to the packages of invoiced orders; VTEX itself issues nothing. A credit
 * note comes days after, and no list or event reports it: so orders are looked at again.
 */
export const invoices: Stream<SourceInvoice, VtexCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 60 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = positionOf(request);
    if ('after' in position) return readAgain(call, request, position.after);
    const { rows, next } = await readSlice(call, 'invoicedDate', position, request.limit);
    const ids = rows
      .map((row) => OrderRow.safeParse(row).data?.orderId)
      .filter((id) => id !== undefined);
    return { items: await readAll(call, ids), next: behind(request, next) };
  },

  async tooLarge(_, request) {
    const position = positionOf(request);
    if ('after' in position) return null;
    const next = behind(request, behindLarge(position));
    return { items: [tooLargeIn('/api/oms/pvt/orders')], next };
  },
};

function positionOf({ window, position }: StreamRequest): Position {
  return position === null ? sliceOf(window) : JSON.parse(position);
}

/** The list of a first import shows all orders. */
function behind({ window }: StreamRequest, next: Slice | null): string | null {
  if (next !== null) return JSON.stringify(next);
  return window.from === null ? null : JSON.stringify({ after: null });
}

async function readAgain(
  call: VtexCall,
  request: StreamRequest,
  after: string | null,
): Promise<Page<SourceInvoice>> {
  const ids = await request.deliveredIds(recheckedCreations(request.window.to), after, AT_ONCE);
  const last = ids.length < AT_ONCE ? undefined : ids.at(-1);
  const next = last === undefined ? null : JSON.stringify({ after: last });
  return { items: await readAll(call, ids), next };
}

async function readAll(call: VtexCall, ids: readonly string[]): Promise<Read<SourceInvoice>[]> {
  const reads = ids.map((id) => apart(id, () => readOrderInvoices(call, id)));
  return (await Promise.all(reads)).flat();
}

async function readOrderInvoices(call: VtexCall, id: string): Promise<Read<SourceInvoice>[]> {
  const path = `/api/oms/pvt/orders/${encodeURIComponent(id)}`;
  const { status, body } = await call.request({ method: 'GET', path, expect: [404] });
  return status === 404 ? [] : readInvoices(id, parseOrNull(body));
}
