import type { Marketplace } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { choice, type GivenBy, instant, wording } from '../../platform/input-fields.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import type { OrderIdentity } from '../orders/index.ts';
import { certificatesOf } from './certificates.ts';
import { type CfdiDocument, KNOWN_CFDI_TYPES, KNOWN_SAT_STATUSES } from './document.ts';
import { CFDI_DIRECTIONS } from './kinds.ts';
import { asStored } from './list-cfdis.ts';
import { type NamedOrder, withId } from './store-order.ts';
import { type CfdiPosition, pageOfCfdis } from './store-records.ts';
import { type DocumentPosition, invoiceDocumentsOf, pageOfUnread } from './store-unread-page.ts';
import { type CfdiSummary, MOST_LISTED_ORDERS } from './summary.ts';

export const DOCUMENT_FILTERS = {
  from: instant('Desde este instante.', '2026-11-01T00:00:00Z'),
  to: instant('Hasta este instante.', '2026-11-30T23:59:59Z'),
  type: choice(KNOWN_CFDI_TYPES, 'Solo de este tipo.', 'ingreso'),
  direction: choice(CFDI_DIRECTIONS, 'Por tus datos fiscales.', 'issued'),
  status: choice(KNOWN_SAT_STATUSES, 'Estado SAT.', 'vigente'),
  uuid: wording('Folio fiscal.', '5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73'),
  order_id: wording('Los de esta orden.', '2000009876543210'),
  rfc: wording('RFC de emisor o receptor.', 'XAXX010101000'),
};
type DocumentFilters = GivenBy<typeof DOCUMENT_FILTERS>;
export type DocumentQuery = DocumentFilters & PageQuery;

interface DocumentPage {
  readonly documents: readonly CfdiDocument[];
  readonly nextCursor: string | null;
}

interface PageRequest extends Omit<DocumentFilters, 'orderId'> {
  readonly order: NamedOrder | null;
  readonly after: DocumentPosition | null;
  readonly limit: number;
}

/**
 * All tax documents, the newest first: those that were read, and the marketplaces' documents that
 * were not. @throws Failure invalid_cursor
 */
export async function listCfdiDocuments(
  scope: ReadScope,
  cursors: CursorMaker,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    asStored(query),
    ({ orderId, ...others }) => pageOf(scope, { ...others, order: withId(orderId) }),
  );
  return { documents: rows, nextCursor };
}

/** The tax documents of one order, the newest first. */
export function listDocumentsOfOrder(
  scope: ReadScope,
  order: OrderIdentity,
  limit: number,
): Promise<CfdiDocument[]> {
  return pageOf(scope, { ...NO_FILTER, order, limit });
}

const NO_FILTER = {
  from: null,
  to: null,
  type: null,
  direction: null,
  status: null,
  uuid: null,
  rfc: null,
  after: null,
};

const WALK: RowWalk<DocumentFilters, CfdiDocument, DocumentPosition> = {
  kind: 'cfdis',
  instants: { from: true, to: true },
  positionOf: ({ listedAt, marketplace, accountId, id, uuid, isRead }) =>
    isRead
      ? [epochMicros(listedAt), '', '', uuid ?? '']
      : [epochMicros(listedAt), marketplace ?? '', accountId ?? '', id],
};

async function pageOf(scope: ReadScope, request: PageRequest): Promise<CfdiDocument[]> {
  const { from, to, uuid, order, after, limit, ...others } = request;
  const { type, direction, status, rfc, ...without } = others;
  // A filter without a condition does not compile.
  without satisfies Readonly<Record<string, never>>;
  const ofBoth = { from, to, uuid, order, limit };
  const ofRead = { type, direction, status, rfc };
  const isOfRead = Object.values(ofRead).some((filter) => filter !== null);
  const unread = isOfRead ? [] : await pageOfUnread(scope, { ...ofBoth, after });
  const found = await pageOfCfdis(scope, { ...ofBoth, ...ofRead, after: afterRead(after) });
  const read = await documentsOf(scope, found);
  // Of one instant those that were not read come first: their marketplace is part of their place.
  return [...unread, ...read]
    .toSorted((one, other) => Temporal.Instant.compare(other.listedAt, one.listedAt))
    .slice(0, limit);
}

/** Higher than every folio. */
const ANY_FOLIO = '~';

function afterRead(after: DocumentPosition | null): CfdiPosition | null {
  if (after === null) return null;
  const [micros, marketplace, , id] = after;
  return [micros, marketplace === '' ? id : ANY_FOLIO];
}

/** Documents that were read, with their file and what a certificate proves. */
async function documentsOf(
  scope: ReadScope,
  summaries: readonly CfdiSummary[],
): Promise<CfdiDocument[]> {
  const uuids = summaries.map(({ uuid }) => uuid);
  const documents = await invoiceDocumentsOf(scope, uuids);
  const certificates = await certificatesOf(
    scope,
    summaries.flatMap(({ uuid, type }) => (type === 'retencion' ? [uuid] : [])),
  );
  return summaries.map((one) => {
    const file = documents.get(one.uuid);
    return {
      marketplace: (file?.marketplace ?? marketplaceOf(one)) as Marketplace | null,
      accountId: file?.account_id ?? null,
      id: file?.id ?? one.uuid,
      uuid: one.uuid,
      type: one.type === 'desconocido' ? null : one.type,
      direction: one.direction,
      status: one.status === 'desconocido' ? null : one.status,
      issuerRfc: one.issuerRfc,
      receiverRfc: one.receiverRfc,
      total: one.total,
      currency: one.currency,
      issuedAt: one.issuedAt,
      firstSeenAt: file?.first_seen_at ?? one.recordedAt,
      listedAt: one.issuedAt,
      fileName: file?.file_name ?? null,
      xmlBytes: file?.xml_bytes ?? null,
      isRead: true,
      readFailure: null,
      withheld: certificates.get(one.uuid) ?? null,
      orderIds: one.orders.slice(0, MOST_LISTED_ORDERS).map(({ id }) => id),
      hasMoreOrders: one.hasMoreOrders,
    };
  });
}

function marketplaceOf({ source }: CfdiSummary): Marketplace | null {
  return source === 'upload' ? null : source;
}
