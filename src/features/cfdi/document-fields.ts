import { MARKETPLACES } from '../../connectors/contract.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, flag, list, orNull, text, time, whole, word } from '../../platform/fields.ts';
import { type CfdiDocument, KNOWN_CFDI_TYPES, KNOWN_SAT_STATUSES } from './document.ts';
import { CFDI_DIRECTIONS } from './kinds.ts';
import { MOST_LISTED_ORDERS } from './summary.ts';

const NOT_KNOWN = 'null si todavía no se sabe.';

const cfdi = membersOf<CfdiDocument>();

/**
 * Every public field of a document. Names of people and the marketplace's own address of the
 * document are not public.
 */
export const CFDI_DOCUMENT = {
  marketplace: cfdi.brief(
    'marketplace',
    orNull(
      word(
        MARKETPLACES,
        'Quién guarda el documento; null si lo subió el vendedor.',
        MARKETPLACES[0],
      ),
    ),
  ),
  uuid: cfdi.brief(
    'uuid',
    orNull(text(`Folio fiscal; ${NOT_KNOWN}`, '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73')),
  ),
  type: cfdi.brief(
    'type',
    orNull(word(KNOWN_CFDI_TYPES, `Tipo; retencion es una constancia; ${NOT_KNOWN}`, 'ingreso')),
  ),
  direction: cfdi.brief(
    'direction',
    orNull(word(CFDI_DIRECTIONS, `Según tus datos fiscales; ${NOT_KNOWN}`, 'issued')),
  ),
  status: cfdi.brief(
    'status',
    orNull(word(KNOWN_SAT_STATUSES, 'Estado ante el SAT; null si no se ha consultado.', 'vigente')),
  ),
  issued_at: cfdi.brief(
    'issuedAt',
    orNull(time(`Cuándo se emitió; ${NOT_KNOWN}`, '2026-11-16T18:00:00.000Z')),
  ),
  total: cfdi.brief('total', orNull(amount(`Total del comprobante; ${NOT_KNOWN}`, 279.9))),
  currency: cfdi.brief('currency', orNull(text(`Moneda del total; ${NOT_KNOWN}`, 'MXN'))),
  issuer_rfc: cfdi.brief('issuerRfc', orNull(text(`RFC del emisor; ${NOT_KNOWN}`, 'AAA010101AAA'))),
  receiver_rfc: cfdi.brief(
    'receiverRfc',
    orNull(text(`RFC del receptor; ${NOT_KNOWN}`, 'XAXX010101000')),
  ),
  period: cfdi.brief(
    ({ withheld }) => withheld?.period ?? null,
    orNull(text('Mes o meses de una constancia.', '2026-10')),
  ),
  withheld_isr: cfdi.brief(
    ({ withheld }) => withheld?.isr ?? null,
    orNull(amount('ISR retenido según la constancia.', 5.03)),
  ),
  withheld_iva: cfdi.brief(
    ({ withheld }) => withheld?.iva ?? null,
    orNull(amount('IVA retenido según la constancia.', 16.08)),
  ),
  order_ids: cfdi.brief(
    'orderIds',
    list(
      `Las órdenes que ampara, hasta ${MOST_LISTED_ORDERS}.`,
      text('El identificador de una orden.', '2000009876543210'),
    ),
  ),
  has_more_orders: cfdi.brief(
    'hasMoreOrders',
    flag(`true = ampara más de ${MOST_LISTED_ORDERS} órdenes.`, false),
  ),
  unread_reason: cfdi.brief(
    unreadReason,
    orNull(
      text(
        'Por qué faltan los datos fiscales; null si se leyeron.',
        'El marketplace no entregó el XML de este documento.',
      ),
    ),
  ),
  id: cfdi.full('id', text('El documento en el marketplace; si se subió, su folio.', '123456')),
  account_id: cfdi.full(
    'accountId',
    orNull(text('La cuenta del marketplace; null si se subió.', '468424241')),
  ),
  file_name: cfdi.full(
    'fileName',
    orNull(text('Nombre del archivo; null si el marketplace no lo da.', 'factura.xml')),
  ),
  xml_size_bytes: cfdi.full(
    'xmlBytes',
    orNull(whole('Tamaño del XML que entregó el marketplace; null sin él.', 4_096)),
  ),
  received_at: cfdi.full('firstSeenAt', time('Cuándo se recibió.', '2026-11-16T18:05:00.000Z')),
};

export const writeCfdiDocument = writerOf(CFDI_DOCUMENT);

/** Why the fields that are read from the XML are null. */
function unreadReason({ isRead, readFailure, xmlBytes }: CfdiDocument): string | null {
  if (readFailure !== null) return readFailure;
  if (isRead) return null;
  return xmlBytes === null
    ? 'El marketplace no entregó el XML de este documento.'
    : 'El XML está guardado, pero todavía no se leen sus datos fiscales.';
}
