import type { OpenTag, OrderStatus } from '../../../connectors/contract.ts';
import { cfdiStatuses, openTags, orderStatuses } from '../../../words/codes.ts';
import { orderMoney } from '../../../words/money.ts';
import {
  amount,
  coded,
  count,
  counted,
  currency,
  digitsIn,
  flag,
  listIn,
  longText,
  moment,
  type ReadableColumn,
  type Row,
  shown,
  text,
  textIn,
} from './column.ts';
import { account, service } from './services.ts';

const STATUSES: Readonly<Record<OrderStatus, string>> = orderStatuses;
const OPEN: Readonly<Record<OpenTag, string>> = openTags;
const BY_MARKETPLACE = 'fulfilled_by_marketplace';

const MARKETPLACE = service('Marketplace', 'marketplace', 'Dónde se vendió.');
const ACCOUNT = account(
  'Cuenta',
  'marketplace',
  'account_id',
  'La cuenta del marketplace en la que se vendió.',
);
const CURRENCY_MEANS = 'Moneda de los importes. Los de monedas distintas no se suman.';
const TAXES_MEANS = 'Impuestos de la compra según el marketplace, dentro o fuera de los precios.';
const TOTAL_MEANS =
  'Total de la compra según el marketplace. No baja si la orden se cancela, se devuelve o se reembolsa. Vacío mientras el marketplace no lo informa.';

/** An order: what an accountant looks for first, then how the total is made up, then the rest. */
export const ORDER_COLUMNS: readonly ReadableColumn[] = [
  moment('Fecha', 'date_created', 'Cuándo se hizo la compra.'),
  MARKETPLACE,
  ACCOUNT,
  text('Orden', 'id', 'Número de la orden en el marketplace.'),
  coded(['Estado', 'status', 'En qué va la orden.'], STATUSES),
  text('Comprador', 'buyer_name', 'Nombre abreviado. Vacío si el marketplace lo oculta.'),
  shown(['Productos', ['items'], 'Lo que se compró: piezas, producto y SKU.'], itemsIn, 'longest'),
  counted(
    ['Piezas', ['items'], 'Piezas que se ordenaron. Vacío si el marketplace ya no dice cuántas.'],
    piecesIn,
  ),
  amount('Total', 'total', TOTAL_MEANS),
  amount(
    orderMoney.shipping,
    'shipping_total',
    'Lo que paga el comprador por el envío. Vacío si el marketplace no lo informa o si es de varias órdenes juntas.',
  ),
  amount(
    orderMoney.discount,
    'order_discount',
    'Descuentos que no están ya en el precio de los productos.',
  ),
  amount('Impuestos', 'tax_total', TAXES_MEANS),
  amount(orderMoney.fees, 'fees_total', 'Lo que cobra el marketplace por la venta.'),
  amount(
    orderMoney.withheld,
    'withheld_total',
    'Impuestos que el marketplace te retuvo. Vacío mientras no se conocen.',
  ),
  amount(
    orderMoney.net,
    'net_total',
    'Lo que recibes por la venta: la suma de sus movimientos en tu cuenta. Vacío hasta que se conocen.',
  ),
  shown(
    [
      'Estado del neto',
      ['net_total', 'net_complete'],
      'Definitivo si ya se conocen todos los movimientos de la venta; provisional mientras falte alguno.',
    ],
    netState,
  ),
  amount(orderMoney.refunded, 'refunded_total', 'Lo que se devolvió al comprador.'),
  currency('Moneda', 'currency', CURRENCY_MEANS),
  text('Paquetería', 'shipping.carrier', 'Quién lleva el envío, según el marketplace.'),
  text('Rastreo', 'shipping.tracking_number', 'Número de rastreo del envío.'),
  moment('Fecha de envío', 'shipping.shipped_at', 'Cuándo salió. Vacío si no se sabe.'),
  moment('Fecha de entrega', 'shipping.delivered_at', 'Cuándo se entregó. Vacío si no se sabe.'),
  flag([
    'Pidió factura',
    'cfdi.required',
    'Si el comprador pidió factura. Vacío si el marketplace no lo informa.',
  ]),
  coded(
    ['Estado del CFDI', 'cfdi.status', 'Del CFDI vinculado, ante el SAT. Vacío si no hay ninguno.'],
    cfdiStatuses,
    'long',
  ),
  longText('Folio fiscal', 'cfdi.uuid', 'Del CFDI vinculado.'),
  amount(
    'Importe de los productos',
    'subtotal',
    'Suma de los productos, ya con sus propios descuentos.',
  ),
  amount(orderMoney.tax, 'tax_added', 'Impuestos que no están dentro de los precios.'),
  amount(
    'Otros importes',
    'other_total',
    'Otras partes del total: propina, envoltura, cargos al comprador o redondeo.',
  ),
  shown(
    [
      'El total incluye',
      ['total_includes'],
      'Qué partes trae el total además de los productos y los otros importes; las demás no lo cambian.',
    ],
    includedIn,
    'long',
  ),
  amount(
    'Diferencia del total',
    'money_difference',
    'El total menos la suma de sus partes, cuando no coinciden. Vacío si coinciden o no se puede comparar.',
  ),
  amount(
    'Descuentos en total',
    'discount_total',
    'Los de los productos y los de la orden. Informa: no se resta otra vez.',
  ),
  amount(
    'Descuentos que paga el marketplace',
    'marketplace_discount_total',
    'La parte de los descuentos que el marketplace te paga a ti. Vacío si no lo informa.',
  ),
  text('Paquete', 'pack.id', 'Número de la compra, si se hizo junto con otras órdenes.'),
  amount('Envío del paquete', 'pack.shipping_total', 'Envío de todas las órdenes del paquete.'),
  shown(
    [
      'Posventa',
      ['channel_relations.tags'],
      'Si tiene una devolución, un reclamo o una cancelación por resolver.',
    ],
    (row) => openIn(tagsOf(row)),
    'long',
  ),
  shown(
    [
      'Lo envía el marketplace',
      ['channel_relations.tags'],
      'Sí cuando el marketplace la surte desde su almacén.',
    ],
    (row) => (tagsOf(row).includes(BY_MARKETPLACE) ? 'Sí' : 'No'),
  ),
  moment(
    'Fecha de cierre',
    'date_closed',
    'Cuándo terminó la orden. Vacío mientras sigue abierta.',
  ),
  moment('Última actualización', 'last_updated', 'Cuándo cambió cualquier dato de la orden.'),
];

/** One line of an order. */
export const ITEM_COLUMNS: readonly ReadableColumn[] = [
  moment('Fecha', 'date_created', 'Cuándo se hizo la compra.'),
  MARKETPLACE,
  ACCOUNT,
  text('Orden', 'order_id', 'Número de la orden en el marketplace.'),
  coded(['Estado', 'order_status', 'En qué va la orden.'], STATUSES),
  longText('Producto', 'item.title', 'Nombre en la publicación.'),
  text('Variante', 'item.variation', 'Por ejemplo, el color o la talla.'),
  text('SKU', 'item.sku', 'Tu clave del producto, según la publicación.'),
  counted(
    ['Piezas', ['item'], 'Piezas que se ordenaron. Vacío si el marketplace ya no dice cuántas.'],
    ({ item }) => piecesOf(item as Item),
  ),
  amount(
    'Precio por pieza',
    'item.unit_price',
    'Lo que el comprador paga por una pieza, ya con los descuentos del producto.',
  ),
  amount('Importe', 'item.subtotal', 'Lo que suman sus piezas, ya con sus descuentos.'),
  shown(
    ['Moneda', ['currency', 'item.currency'], CURRENCY_MEANS],
    (row) => textIn(row, 'item.currency') || textIn(row, 'currency'),
    'brief',
  ),
  amount(
    'Precio sin descuentos',
    'item.list_price',
    'Precio de una pieza antes de descuentos. Vacío si el marketplace no lo informa.',
  ),
  count(
    'Piezas canceladas o devueltas',
    'item.cancelled_quantity',
    'De las piezas que se ordenaron, cuántas se cancelaron o devolvieron después.',
  ),
  text('Publicación', 'item.id', 'Número de la publicación en el marketplace.'),
  count('Lugar en la orden', 'line', 'Qué lugar tiene entre los productos de su orden.'),
];

/** An order without a CFDI. */
export const UNINVOICED_COLUMNS: readonly ReadableColumn[] = [
  moment('Fecha de venta', 'date_created', 'Cuándo se hizo la compra.'),
  MARKETPLACE,
  ACCOUNT,
  text('Orden', 'order_id', 'Número de la orden en el marketplace.'),
  coded(['Estado', 'status', 'En qué va la orden.'], STATUSES),
  amount('Total', 'total', 'Total de la compra según el marketplace.'),
  amount('Impuestos', 'tax_total', `${TAXES_MEANS} Vacío si no los informa.`),
  currency('Moneda', 'currency', CURRENCY_MEANS),
];

/** The same for the global invoice, which some of them are in. */
export const GLOBAL_INVOICE_COLUMNS: readonly ReadableColumn[] = [
  ...UNINVOICED_COLUMNS,
  longText(
    'Factura global',
    'global_uuid',
    'Folio fiscal de la factura global que ya la incluye. Vacío si ninguna la incluye.',
  ),
];

interface Item {
  readonly title: string;
  readonly quantity: unknown;
  readonly quantity_known: boolean;
  readonly sku: string | null;
}

/** «2 × Mochila azul (SKU-1) · 1 × Taza». */
function itemsIn(row: Row): string {
  return listIn<Item>(row, 'items').map(itemInWords).join(' · ');
}

function itemInWords({ title, quantity, quantity_known: isKnown, sku }: Item): string {
  const pieces = isKnown ? `${digitsIn(quantity)} × ` : '';
  return `${pieces}${title}${sku ? ` (${sku})` : ''}`;
}

function piecesIn(row: Row): number | null {
  const pieces = listIn<Item>(row, 'items').map(piecesOf);
  return pieces.every((one) => one !== null) ? pieces.reduce((sum, one) => sum + one, 0) : null;
}

function piecesOf({ quantity, quantity_known: isKnown }: Item): number | null {
  return isKnown ? Number(digitsIn(quantity)) : null;
}

function netState({ net_total: net, net_complete: isComplete }: Row): string | null {
  if (net === null) return null;
  return isComplete ? 'Definitivo' : 'Provisional';
}

const PARTS: readonly (readonly [string, string])[] = [
  ['shipping', orderMoney.shipping],
  ['order_discount', orderMoney.discount],
  ['tax', 'Impuestos'],
];

function includedIn({ total_includes: includes }: Row): string | null {
  if (includes === null) return null;
  const parts = PARTS.filter(([part]) => (includes as Record<string, boolean>)[part]);
  return parts.map(([, name]) => name).join(' · ') || 'Solo los productos';
}

function tagsOf(row: Row): readonly string[] {
  return listIn<string>(row.channel_relations as Row, 'tags');
}

function openIn(tags: readonly string[]): string {
  const open = Object.entries(OPEN).filter(([tag]) => tags.includes(tag));
  return open.map(([, word]) => word).join(' · ');
}
