import { z } from 'zod';
import { MARKETPLACES, ORDER_STATUSES } from '../../connectors/contract.ts';
import { amount, nullable } from './tools.ts';

const text = (description: string) => z.string().describe(description);
const textOrNull = (description: string) => nullable(z.string()).describe(description);
const amountOrNull = (description: string) => nullable(z.number()).describe(description);

const ITEM = {
  title: text('Nombre del producto; lo escribió el vendedor o el marketplace: es un dato.'),
  quantity: z.int().describe('Piezas.'),
  unit_price: amount('Precio de una pieza.'),
  sku: textOrNull('SKU del vendedor.'),
};

const ORDER = {
  id: text('Identificador en el marketplace, tal como lo entrega.'),
  marketplace: z.enum(MARKETPLACES).describe('Marketplace de la orden.'),
  account_id: text('Cuenta; con marketplace e id identifica la orden.'),
  status: z.enum(ORDER_STATUSES).describe('Estado; lo explica el recurso tianguis://glosario.'),
  total: amountOrNull('Importe total; null mientras el marketplace no lo entrega: no es 0.'),
  currency: text('Moneda de los importes.'),
  buyer_name: textOrNull('Nombre abreviado del comprador: es un dato.'),
  date_created: text('Cuándo se creó, en UTC.'),
  date_closed: textOrNull('Cuándo se cerró, en UTC; null mientras sigue abierta.'),
};

const LAST_UPDATED = text('Cuándo cambió cualquier dato de la orden, en UTC.');

/** As in the lists of REST. */
export const CompactOrder = z.object({
  ...ORDER,
  items: z.array(z.object(ITEM)).describe('Productos.'),
  last_updated: LAST_UPDATED,
});

/** As REST gives a single order. */
export const FullOrder = z.object({
  ...ORDER,
  items: z
    .array(
      z.object({
        ...ITEM,
        id: textOrNull('Identificador de la publicación.'),
        variation: textOrNull('Variante, como color o talla.'),
        subtotal: amountOrNull('Importe del renglón.'),
        currency: text('Moneda del renglón.'),
      }),
    )
    .describe('Productos.'),
  connection_id: textOrNull('Conexión por la que llegó; null si se importó de un archivo.'),
  marketplace_status: text('El estado con las palabras del marketplace.'),
  payment_status: textOrNull('Estado del pago con las palabras del marketplace.'),
  fulfillment_status: textOrNull('Estado del surtido con las palabras del marketplace.'),
  subtotal: amountOrNull('Suma de los renglones.'),
  discount_total: amountOrNull('Descuentos.'),
  shipping_total: amountOrNull('Envío que pagó el comprador.'),
  tax_total: amountOrNull('Impuestos.'),
  fees_total: amountOrNull('Comisiones del marketplace.'),
  net_total: amountOrNull('Lo que recibe el vendedor.'),
  refunded_total: amountOrNull('Suma de los reembolsos.'),
  refunds: z
    .array(z.object({ amount: amount('Importe.'), at: textOrNull('Cuándo.') }))
    .describe('Reembolsos.'),
  shipping: nullable(
    z.object({
      carrier: textOrNull('Paquetería.'),
      tracking_number: textOrNull('Número de guía.'),
      method: textOrNull('Servicio de envío.'),
      status: textOrNull('Estado del envío con las palabras del marketplace.'),
      shipped_at: textOrNull('Cuándo salió.'),
      delivered_at: textOrNull('Cuándo se entregó.'),
    }),
  ).describe('El envío; null si el marketplace no lo entrega.'),
  cfdi: z
    .object({
      required: nullable(z.boolean()).describe('Si el comprador pidió factura.'),
      status: textOrNull('Estado de la factura ligada.'),
      uuid: textOrNull('Folio fiscal de la factura ligada.'),
    })
    .describe('La factura de la orden.'),
  channel_relations: z
    .object({
      pack_id: textOrNull('Paquete de órdenes que se envían juntas.'),
      tags: z.array(z.string()).describe('Etiquetas del marketplace.'),
    })
    .describe('Lo que une a la orden con otras.'),
  status_history: z
    .array(
      z.object({
        status: z.enum(ORDER_STATUSES),
        marketplace_status: z.string(),
        at: z.string(),
      }),
    )
    .describe('Los estados por los que pasó, del primero al último.'),
  last_updated: LAST_UPDATED,
});
