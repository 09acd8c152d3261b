/** The names of an order's amounts, for the panel and for files. */
export const orderMoney = {
  discount: 'Descuento de la orden',
  shipping: 'Envío',
  tax: 'Impuestos además del precio',
  other: 'Otros',
  refunded: 'Reembolsado',
  fees: 'Comisiones',
  withheld: 'Retenciones',
  net: 'Neto para ti',
} as const;
