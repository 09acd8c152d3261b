/** The sentences of an order's money. */
import { movementKinds } from '../../../../src/words/codes.ts';
import { orderMoney } from '../../../../src/words/money.ts';

export const moneyWords = {
  ...orderMoney,
  money: 'Importes',
  subtotal: 'Productos',
  totalAt: (marketplace: string) => `Total en ${marketplace}`,
  apart: 'Aparte del total',
  notIncluded: 'no cambia el total',
  discountPaidBy: {
    marketplace: (marketplace: string) => `lo paga ${marketplace}`,
    both: (marketplace: string, part: string) => `${marketplace} paga ${part} de los descuentos`,
    seller: 'lo pagas tú',
    unknown: (marketplace: string) => `${marketplace} no informa quién lo paga`,
  },
  unexplained: (marketplace: string, difference: string) =>
    `La suma no coincide con el total de ${marketplace}: hay una diferencia de ${difference}.`,
  settled: (marketplace: string) => `Liquidación de ${marketplace}`,
  /** Of one order. */
  movements: {
    ...movementKinds,
    sale: 'Venta',
    shipping: 'Envío cobrado al comprador',
    refund: 'Reembolsado',
    shipping_fee: 'Costo de envío',
  },
  settledToZero: 'Los movimientos de esta orden se compensan entre sí.',
  unsold: (marketplace: string) => `${marketplace} todavía no registra la venta.`,
  soldOtherwise: (marketplace: string, sold: string, total: string) =>
    `De la venta, ${marketplace} te liquida ${sold}; el total de la orden es de ${total}.`,
  noTaxes: (marketplace: string) => `${marketplace} no informa impuestos retenidos de esta orden.`,
  partial: 'provisional',
  netLater: (marketplace: string) => `Se sabrá cuando ${marketplace} te liquide.`,
  netOfOwnShop: (shop: string) =>
    `Se sabrá cuando ${shop} te liquide, si cobraste con su servicio.`,
  netNever: (marketplace: string) => `${marketplace} no informa lo que te toca por cada orden.`,
  feesAnnounced: 'según la orden; todavía sin movimientos',
  netCancelled: 'Sin neto: la orden se canceló.',
  explained: (marketplace: string) => `La suma coincide con el total de ${marketplace}.`,
  explainedBut: (marketplace: string) =>
    `Los importes de la venta coinciden con el total de ${marketplace}.`,
  refunds: 'Reembolsos',
  undated: 'sin fecha',
} as const;
