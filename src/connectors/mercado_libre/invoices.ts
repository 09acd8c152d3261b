import type { Call, Read, SourceInvoice, Stream } from '../contract.ts';
import { apart, parseOrNull, readOne } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { behindLarge, PAGE_SIZE, type SearchPosition, searchOrders } from './order-search.ts';
import {
  FiscalDocuments,
  type InvoicedPack,
  invoicedPackOf,
  PackOrders,
  toInvoice,
} from './wire.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const RATE = { rate: 'documents' } as const;
// No documents, or none that we may read.
const NONE = [403, 404];

/**
 * The documents that sellers upload for their buyers, stored by pack. Fees billed to the seller are
 * not among them.
 */
export const invoices: Stream<SourceInvoice, MercadoLibreCredentials> = {
  every: { minutes: 720 },
  // An upload is no change of its order, and may follow weeks after it.
  overlap: { minutes: 30 * 24 * 60 },
  history: { days: 90 },
  pageSize: PAGE_SIZE,

  async page(call, pass) {
    const position: SearchPosition | null =
      pass.position === null ? null : JSON.parse(pass.position);
    const { rows, next } = await searchOrders(call, pass, position);
    const packs = new Map(
      rows.map(invoicedPackOf).flatMap((pack) => (pack ? [[pack.id, pack]] : [])),
    );
    const items = await Promise.all(
      [...packs.values()].map((pack) => apart(pack.id, () => readPack(call, pack))),
    );
    return { items: items.flat(), next: next && JSON.stringify(next) };
  },

  async tooLarge(_, pass) {
    return behindLarge(pass, pass.position === null ? null : JSON.parse(pass.position));
  },
};

async function readPack(
  call: MercadoLibreCall,
  pack: InvoicedPack,
): Promise<Read<SourceInvoice>[]> {
  const path = `/packs/${encodeURIComponent(pack.id)}/fiscal_documents`;
  const { status, body } = await call.request({ method: 'GET', path, expect: NONE, ...RATE });
  const documents = status === 200 ? FiscalDocuments.parse(parseOrNull(body)) : [];
  if (documents.length === 0) return [];
  const orderIds = pack.isPack ? await ordersOf(call, pack) : [pack.id];
  return Promise.all(
    documents.map(async (row) => {
      const read = readOne(row, (document) => toInvoice(document, orderIds));
      if (!read.ok || !read.item.isXml)
        return read.ok ? { ok: true as const, item: read.item.invoice } : read;
      const { invoice } = read.item;
      return {
        ok: true as const,
        item: { ...invoice, xml: await contentOf(call, path, invoice.id) },
      };
    }),
  );
}

async function ordersOf(call: MercadoLibreCall, { id }: InvoicedPack): Promise<string[]> {
  const pack = await call.get(`/packs/${encodeURIComponent(id)}`, PackOrders, RATE);
  return pack.orders.map((order) => order.id);
}

async function contentOf(call: MercadoLibreCall, path: string, id: string): Promise<string | null> {
  const { status, body } = await call.request({
    method: 'GET',
    path: `${path}/${encodeURIComponent(id)}`,
    headers: { accept: '*/*' },
    expect: NONE,
    ...RATE,
  });
  return status === 200 ? body : null;
}
