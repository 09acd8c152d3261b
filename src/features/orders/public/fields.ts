import { LONGEST_ACCOUNT, MARKETPLACES, ORDER_STATUSES } from '../../../connectors/contract.ts';
import { document, membersOf } from '../../../platform/documents.ts';
import {
  amount,
  flag,
  identifier,
  list,
  listable,
  name,
  orNull,
  text,
  time,
  withDefault,
  word,
} from '../../../platform/fields.ts';
import type { PublicOrder } from '../order.ts';
import { ITEM } from './item-fields.ts';
import {
  complete,
  DEFAULT_CURRENCY,
  NOT_GIVEN,
  OTHER,
  REFUND,
  TAGS,
  TOTAL_INCLUDES,
} from './parts.ts';
import { SHIPPING } from './shipping-fields.ts';

/**
 * The version of stored orders' content. Raise it with every change of this table, and of what a
 * connector reads from a document: orders of an older version are rendered again in the background.
 */
export const REPRESENTATION = 4;

/** In characters. The cursor of a page holds one, and has to fit an address. */
const LONGEST_ORDER_ID = 500;

const IMPORTED_MARKETPLACE_STATUS = '';
/** The account of an imported line that names none. */
export const IMPORT_ACCOUNT = 'import';

const order = membersOf<PublicOrder>();

/** Every field of the public order, in the order in which documents show them. */
export const ORDER = complete<PublicOrder>()({
  id: order.brief(
    'id',
    identifier(
      'Identificador externo, tal como lo entrega el marketplace.',
      '2000009876543210',
      LONGEST_ORDER_ID,
    ),
  ),
  marketplace: order.brief(
    'marketplace',
    word(MARKETPLACES, 'Marketplace de la orden.', MARKETPLACES[0]),
  ),
  account_id: order.brief(
    'accountId',
    withDefault(
      listable(
        identifier(
          'Cuenta del marketplace; junto con marketplace e id identifica la orden.',
          '468424241',
          LONGEST_ACCOUNT,
        ),
      ),
      IMPORT_ACCOUNT,
    ),
  ),
  status: order.brief(
    'status',
    word(ORDER_STATUSES, 'Estado de la orden, igual para todos los marketplaces.', 'shipped'),
  ),
  total: order.brief(
    'total',
    orNull(
      amount(
        'Total de la compra según el marketplace; no baja si la orden se cancela, se devuelve o se reembolsa. ' +
          'null mientras el marketplace no lo entrega: no es 0.',
        279.9,
      ),
    ),
  ),
  currency: order.brief(
    'currency',
    withDefault(name('Moneda de los importes.', DEFAULT_CURRENCY, 255), DEFAULT_CURRENCY),
  ),
  buyer_name: order.brief(
    'buyerName',
    orNull(
      text('Nombre abreviado del comprador; null mientras el marketplace lo oculta.', 'Juan P.'),
    ),
  ),
  date_created: order.brief(
    'dateCreated',
    time('Cuándo se creó la orden.', '2026-11-15T12:00:00.000Z'),
  ),
  date_closed: order.brief(
    'dateClosed',
    orNull(
      time(
        'Cuándo llegó a su primer estado final (en Mercado Libre, su propia fecha de cierre); null mientras sigue abierta ' +
          'o si no se sabe cuándo.',
        '2026-11-18T17:05:00.000Z',
      ),
    ),
  ),
  items: order.brief(
    'items',
    list('Productos de la orden.', document('Un producto de la orden.', ITEM)),
  ),
  connection_id: order.full(
    'connectionId',
    orNull(
      text(
        'Conexión por la que llegó la orden; null si se importó de un archivo.',
        '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90',
      ),
    ),
  ),
  marketplace_status: order.full(
    'marketplaceStatus',
    withDefault(
      text('El estado con las palabras del marketplace.', 'paid'),
      IMPORTED_MARKETPLACE_STATUS,
    ),
  ),
  payment_status: order.full(
    'paymentStatus',
    orNull(text(`Estado del pago con las palabras del marketplace; ${NOT_GIVEN}`, 'approved')),
  ),
  fulfillment_status: order.full(
    'fulfillmentStatus',
    orNull(text(`Estado del surtido con las palabras del marketplace; ${NOT_GIVEN}`, 'shipped')),
  ),
  subtotal: order.full('subtotal', orNull(amount('Suma de los importes de los artículos.', 259.9))),
  order_discount: order.full(
    'orderDiscount',
    orNull(amount(`Descuentos de la orden que ningún renglón trae ya; ${NOT_GIVEN}`, 0)),
  ),
  discount_total: order.full(
    'discountTotal',
    orNull(
      amount(
        'Todos los descuentos: los de los artículos y los de la orden. Informa; no se resta otra vez.',
        40,
      ),
    ),
  ),
  marketplace_discount_total: order.earnings(
    'marketplaceDiscountTotal',
    orNull(
      amount(`La parte de los descuentos que paga el marketplace al vendedor; ${NOT_GIVEN}`, 0),
    ),
  ),
  shipping_total: order.full(
    'shippingTotal',
    orNull(
      amount(
        'Envío que paga el comprador; null si no es de una sola orden o el marketplace no lo entrega.',
        0,
      ),
    ),
  ),
  pack: order.group(
    'El paquete de órdenes que se compran y envían juntas; null si va sola.',
    {
      id: order.full('packId', orNull(text('Identificador del paquete.', '2000004321098765'))),
      shipping_total: order.full(
        'packShippingTotal',
        orNull(
          amount('Envío que paga el comprador por todo el paquete; null si no se conoce.', 99),
        ),
      ),
    },
    ({ packId }) => packId !== null,
  ),
  tax_total: order.full('taxTotal', orNull(amount(`Todos los impuestos; ${NOT_GIVEN}`, 35.85))),
  tax_added: order.full(
    'taxAdded',
    orNull(amount(`Impuestos que no están dentro de los precios; ${NOT_GIVEN}`, 0)),
  ),
  other: order.full(
    'other',
    withDefault(
      list(
        'Otros importes del total con el nombre que les da el marketplace: propina, envoltura, cargos al comprador, redondeo.',
        document('Un importe.', OTHER),
      ),
      [],
    ),
  ),
  other_total: order.full(
    'otherTotal',
    orNull(amount('Suma de `other`; null si no hay ninguno.', 20)),
  ),
  total_includes: order.full(
    'totalIncludes',
    orNull(document('Qué partes trae `total`; null si no se sabe.', TOTAL_INCLUDES)),
  ),
  money_check: order.full(
    'moneyCheck',
    orNull(
      word(
        ['ok', 'unexplained'],
        'Si las partes dan el total: subtotal − order_discount + shipping_total + tax_added + other_total, con lo que dice ' +
          '`total_includes`. null si no se puede comprobar.',
        'ok',
      ),
    ),
  ),
  money_difference: order.full(
    'moneyDifference',
    orNull(
      amount(
        'Con `unexplained`: total menos la suma de las partes, tal como los da el marketplace.',
        0,
      ),
    ),
  ),
  fees_total: order.earnings(
    'feesTotal',
    orNull(amount(`Lo que cobra el marketplace; ${NOT_GIVEN}`, 36.39)),
  ),
  fees_source: order.earnings(
    'feesSource',
    orNull(
      word(
        ['order', 'ledger'],
        'De dónde sale `fees_total`: de la orden (`order`) o de los movimientos de la cuenta (`ledger`).',
        'order',
      ),
    ),
  ),
  withheld_total: order.earnings(
    'withheldTotal',
    orNull(
      amount('Impuestos que el marketplace retiene al vendedor; null si no se conocen.', 27.08),
    ),
  ),
  net_total: order.earnings(
    'netTotal',
    orNull(amount('Lo que recibe el vendedor; null hasta que se conocen los movimientos.', 216.43)),
  ),
  net_complete: order.earnings(
    'netComplete',
    withDefault(
      flag(
        'Si ya se conocen todos los movimientos de la venta; `false` mientras falte alguno.',
        false,
      ),
      false,
    ),
  ),
  refunded_total: order.full(
    'refundedTotal',
    orNull(amount(`Suma de los reembolsos; ${NOT_GIVEN}`, 50)),
  ),
  refunds: order.full(
    'refunds',
    withDefault(list('Reembolsos de la orden.', document('Un reembolso.', REFUND)), []),
  ),
  shipping: order.full(
    'shipping',
    orNull(document('El envío; null si no se sabe nada de él.', SHIPPING)),
  ),
  cfdi: order.group('La factura de la orden.', {
    required: order.full(
      'invoiceRequired',
      orNull(flag(`Si el comprador pidió factura; ${NOT_GIVEN}`, true)),
    ),
    status: order.full(
      'cfdiStatus',
      orNull(text('Estado de la factura; null si no hay ninguna vinculada.', 'vigente')),
    ),
    uuid: order.full(
      'cfdiUuid',
      orNull(
        text(
          'Folio fiscal; null si no hay factura vinculada.',
          '5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73',
        ),
      ),
    ),
  }),
  channel_relations: order.group('Lo que une a la orden con otras y con sus envíos.', {
    pack_id: order.full(
      'packId',
      orNull(text('Paquete de órdenes que se envían juntas; null si va sola.', '2000004321098765')),
    ),
    tags: order.full('tags', withDefault(TAGS, [])),
  }),
});
