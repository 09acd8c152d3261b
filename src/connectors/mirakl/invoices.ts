import { apart, apartAmong } from '../apart.ts';
import type { Call, Read, SourceInvoice, Stream } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';
import { askOrders, behindLarge, PAGE_SIZE } from './orders.ts';
import { DocumentPage, invoicedIdOf, isXml, readInvoice } from './wire.ts';

/**
 * Documents that sellers uploaded for their buyers. The operator's own invoices are about its
 * commissions, and are not requested.
 */
export const invoices: Stream<SourceInvoice, MiraklCredentials> = {
  every: { minutes: 60 },
  // Whether an upload counts as a change of its order is not documented.
  overlap: { minutes: 24 * 60 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const { rows, next } = await askOrders(call, request);
    const ids = rows.map(invoicedIdOf).filter((id) => id !== null);
    const listed = await apartAmong(ids, (some) => askDocuments(call, some));
    const contents = listed.map((read) =>
      apart(read.ok ? read.item.id : read.externalId, () => withContent(call, read)),
    );
    return { items: (await Promise.all(contents)).flat(), next };
  },

  async tooLarge(_, request) {
    return behindLarge('orders', request);
  },
};

async function askDocuments(
  call: Call<MiraklCredentials>,
  ids: readonly string[],
): Promise<Read<SourceInvoice>[]> {
  const query = { order_ids: ids.join(',') };
  const { order_documents } = await call.get('/orders/documents', DocumentPage, { query });
  return order_documents.map(readInvoice).filter((read) => read !== null);
}

/** Fetched one by one: several at once are answered as an archive. */
async function withContent(
  call: Call<MiraklCredentials>,
  read: Read<SourceInvoice>,
): Promise<Read<SourceInvoice>> {
  if (!read.ok || !isXml(read.item.fileName)) return read;
  const { status, body } = await call.request({
    method: 'GET',
    path: '/orders/documents/download',
    query: { document_ids: read.item.id },
    headers: { accept: '*/*' },
    isBinary: true,
    expect: [404],
  });
  if (status === 404) return read;
  return { ok: true, item: { ...read.item, xml: Buffer.from(body, 'latin1') } };
}
