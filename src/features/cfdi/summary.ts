import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { document, membersOf, writerOf } from '../../platform/documents.ts';
import { amount, flag, list, orNull, text, time, word } from '../../platform/fields.ts';
import { type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity } from '../orders/index.ts';
import {
  CFDI_DIRECTIONS,
  CFDI_TYPES,
  type CfdiDirection,
  type CfdiType,
  SAT_STATUSES,
  type SatStatus,
} from './kinds.ts';

/** What lists show of a tax document that was read. Names of people are only in the document. */
export interface CfdiSummary {
  readonly uuid: string;
  readonly type: CfdiType;
  readonly direction: CfdiDirection;
  readonly status: SatStatus;
  readonly issuedAt: Instant;
  readonly total: Decimal;
  readonly currency: string;
  readonly issuerRfc: string;
  /** Null = a foreigner. */
  readonly receiverRfc: string | null;
  /** `upload`, or the marketplace that gave it. */
  readonly source: 'upload' | Marketplace;
  readonly recordedAt: Instant;
  /** By a newer one of its issuer that is not cancelled. */
  readonly isReplaced: boolean;
  /** In order; those beyond `MOST_LISTED_ORDERS` are left out. */
  readonly orders: readonly OrderIdentity[];
  readonly hasMoreOrders: boolean;
}

/** A global invoice is linked to as many orders as a day or a month had. */
export const MOST_LISTED_ORDERS = 50;

const SOURCES = ['upload', ...MARKETPLACES] as const;
const order = membersOf<OrderIdentity>();
const ORDER_OF_CFDI = document('Una orden.', {
  marketplace: order.brief('marketplace', word(MARKETPLACES, 'Dónde se vendió.', MARKETPLACES[0])),
  account_id: order.brief('accountId', text('La cuenta.', '468424241')),
  id: order.brief('id', text('Su identificador.', '2000009876543210')),
});

const cfdi = membersOf<CfdiSummary>();

/** Every public field of a tax document in lists. */
export const CFDI_SUMMARY = {
  uuid: cfdi.brief('uuid', text('Folio fiscal.', '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73')),
  type: cfdi.brief(
    'type',
    word(CFDI_TYPES, 'Tipo de comprobante; `retencion` es una constancia.', 'ingreso'),
  ),
  direction: cfdi.brief(
    'direction',
    word(CFDI_DIRECTIONS, 'Emitido, recibido u otro, según tus datos fiscales.', 'issued'),
  ),
  status: cfdi.brief(
    'status',
    word(SAT_STATUSES, 'Estado SAT; `desconocido` si no se ha consultado.', 'vigente'),
  ),
  issued_at: cfdi.brief('issuedAt', time('Cuándo se emitió.', '2026-11-16T18:00:00.000Z')),
  total: cfdi.brief('total', amount('Total del comprobante.', 279.9)),
  counted_total: cfdi.brief(
    countedTotal,
    orNull(
      amount(
        'Lo que suma a tus ventas: negativo en egresos; null si no suma ni resta, como uno cancelado, sustituido o que no emitiste.',
        279.9,
      ),
    ),
  ),
  currency: cfdi.brief('currency', text('Moneda.', 'MXN')),
  issuer_rfc: cfdi.brief('issuerRfc', text('RFC del emisor.', 'AAA010101AAA')),
  receiver_rfc: cfdi.brief(
    'receiverRfc',
    orNull(text('RFC del receptor; null si es extranjero.', 'XAXX010101000')),
  ),
  source: cfdi.brief('source', word(SOURCES, 'De dónde llegó.', 'upload')),
  received_at: cfdi.brief('recordedAt', time('Cuándo llegó.', '2026-11-16T18:05:00.000Z')),
  orders: cfdi.brief(
    'orders',
    list(`Las órdenes vinculadas, hasta ${MOST_LISTED_ORDERS}.`, ORDER_OF_CFDI),
  ),
  has_more_orders: cfdi.brief(
    'hasMoreOrders',
    flag(`true = tiene más de ${MOST_LISTED_ORDERS} órdenes vinculadas.`, false),
  ),
};

export const writeSummary = writerOf(CFDI_SUMMARY);

/** Only issued invoices and credit notes that are in force are sales. */
export function countedTotal(cfdi: CfdiSummary): Decimal | null {
  const { type, direction, status, total, isReplaced } = cfdi;
  if (direction !== 'issued' || status === 'cancelado' || isReplaced) return null;
  if (type === 'ingreso') return total;
  return type === 'egreso' ? subtract(ZERO, total) : null;
}
