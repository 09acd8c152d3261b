import type { Instant } from '../../platform/time.ts';
import { documentOrNull, parseOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type {
  Call,
  Read,
  SourceBillingData,
  SourceFiscal,
  SourceInvoice,
  Stream,
  StreamRequest,
  Window,
} from '../contract.ts';
import { readOne } from '../read-rows.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { behindLarge, PAGE_SIZE, type SearchPosition, searchOrders } from './order-search.ts';
import {
  FiscalDocuments,
  type InvoicedPack,
  invoicedPackOf,
  PackOrders,
  toInvoice,
} from './wire.ts';
import { type BillingOrder, billingOrderOf, toBillingData } from './wire-billing.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const RATE = { rate: 'documents' } as const;
// No documents, or none that we may read.
const NONE = [403, 404];
// 202: the marketplace still processes them.
const NOT_GIVEN = [202, ...NONE];

const OVERLAP = { minutes: 30 * 24 * 60 };
const HISTORY_DAYS = 90;
/** Changes reach the index late. */
const LATE = { hours: 2 };
/** How long a buyer who gave nothing is asked about, from the order on. */
const YOUNG = { hours: 7 * 24 };

/**
 * The documents that sellers upload for their buyers, stored by pack, and what buyers gave for
 * their invoices. Fees billed to the seller are not among them.
 */
export const invoices: Stream<SourceFiscal, MercadoLibreCredentials> = {
  every: { minutes: 720 },
  // An upload is no change of its order, and may follow weeks after it.
  overlap: OVERLAP,
  history: { days: HISTORY_DAYS },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position: SearchPosition | null =
      request.position === null ? null : JSON.parse(request.position);
    const { rows, next } = await searchOrders(call, request, position);
    const packs = new Map(
      rows.map(invoicedPackOf).flatMap((pack) => (pack ? [[pack.id, pack]] : [])),
    );
    const documents = [...packs.values()].map((pack) =>
      apart<SourceFiscal>(pack.id, () => readPack(call, pack)),
    );
    const orders = rows.flatMap((row) => billingOrderOf(row) ?? []);
    const given = (await toAskAbout(orders, request)).map((order) =>
      apart<SourceFiscal>(order.orderId, () => readBilling(call, order)),
    );
    const items = await Promise.all([...documents, ...given]);
    return { items: items.flat(), next: next && JSON.stringify(next) };
  },

  async tooLarge(_, request) {
    return behindLarge(request, request.position === null ? null : JSON.parse(request.position));
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

/** Orders that changed since the last sync run, and young ones without data. */
async function toAskAbout(
  orders: readonly BillingOrder[],
  { window, states }: StreamRequest,
): Promise<BillingOrder[]> {
  const known = await states(orders.map(({ orderId }) => orderId));
  const changedFrom = lastRunIn(window)?.subtract(LATE);
  const youngFrom = window.to.subtract(YOUNG);
  return orders.filter(
    ({ orderId, createdAt, changedAt }) =>
      !changedFrom ||
      Temporal.Instant.compare(changedAt, changedFrom) >= 0 ||
      (!known.has(orderId) && Temporal.Instant.compare(createdAt, youngFrom) >= 0),
  );
}

/** When the last sync run was, which the window overlaps; null = this is the first import. */
function lastRunIn({ from, to }: Window): Instant | null {
  const isFirst =
    !from || Temporal.Instant.compare(from, to.subtract({ hours: 24 * HISTORY_DAYS })) <= 0;
  return isFirst ? null : from.add(OVERLAP);
}

/** @returns null where there are none, or not yet */
async function readBilling(
  call: MercadoLibreCall,
  { orderId, billingId }: BillingOrder,
): Promise<Read<SourceBillingData> | null> {
  const path = `/orders/billing-info/MLM/${encodeURIComponent(billingId)}`;
  const answer = await call.request({ method: 'GET', path, expect: NOT_GIVEN, ...RATE });
  if (answer.status !== 200) return null;
  const document = documentOrNull(answer);
  const read = readOne(document, toBillingData, () => orderId);
  if (!read.ok) return read;
  return read.item && { ok: true, item: { orderId, data: read.item } };
}

async function ordersOf(call: MercadoLibreCall, { id }: InvoicedPack): Promise<string[]> {
  const pack = await call.get(`/packs/${encodeURIComponent(id)}`, PackOrders, RATE);
  return pack.orders.map((order) => order.id);
}

async function contentOf(call: MercadoLibreCall, path: string, id: string): Promise<Buffer | null> {
  const { status, body } = await call.request({
    method: 'GET',
    path: `${path}/${encodeURIComponent(id)}`,
    headers: { accept: '*/*' },
    isBinary: true,
    expect: NONE,
    ...RATE,
  });
  return status === 200 ? Buffer.from(body, 'latin1') : null;
}
