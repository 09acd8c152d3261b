import { rawNumber } from '../../platform/json.ts';
import { formatMillis } from '../../platform/time.ts';
import type { CfdiDocument } from './document.ts';

/** What agents and screens see of a document: names of people and the marketplace's own address of it are never in it. */
export function presentCfdi(document: CfdiDocument, fields: 'compact' | 'full') {
  const compact = {
    marketplace: document.marketplace,
    uuid: document.uuid,
    type: document.type,
    status: document.status,
    issued_at: document.issuedAt && formatMillis(document.issuedAt),
    total: document.total === null ? null : rawNumber(document.total),
    currency: document.currency,
    issuer_rfc: document.issuerRfc,
    receiver_rfc: document.receiverRfc,
    order_ids: [...document.orderIds],
    has_more_orders: document.hasMoreOrders,
    unread_reason: unreadReason(document),
  };
  if (fields === 'compact') return compact;
  return {
    ...compact,
    id: document.id,
    account_id: document.accountId,
    file_name: document.fileName,
    xml_size_bytes: document.xmlBytes,
    received_at: formatMillis(document.firstSeenAt),
  };
}

/** Why the fields that are read from the XML are null. */
function unreadReason({ readAt, readFailure, xmlBytes }: CfdiDocument): string | null {
  if (readFailure !== null) return readFailure;
  if (readAt !== null) return null;
  return xmlBytes === null
    ? 'El marketplace no entregó el XML de este documento.'
    : 'El XML está guardado, pero todavía no se leen sus datos fiscales.';
}
