/**
 * What people call the codes of the product: one table for the panel and for files. This folder imports
 * nothing, since the panel bundles it.
 */

/** Of orders. */
export const orderStatuses = {
  pending: 'Pendiente de pago',
  paid: 'Pagada',
  ready_to_ship: 'Lista para enviar',
  partially_shipped: 'Envío parcial',
  shipped: 'Enviada',
  delivered: 'Entregada',
  cancelled: 'Cancelada',
  returned: 'Devuelta',
  refunded: 'Reembolsada',
  unknown: 'Sin clasificar',
} as const;

/** What is open of an order after its sale, or before it is sent. */
export const openTags = {
  open_return: 'Devolución abierta',
  open_claim: 'Reclamo abierto',
  cancellation_requested: 'Cancelación solicitada',
} as const;

/** Of shipments. */
export const shipmentCategories = {
  PREPARACION: 'En preparación',
  EN_TRANSITO: 'En tránsito',
  INCIDENCIA: 'Con incidencia',
  ENTREGADO: 'Entregado',
  DEVOLUCION: 'En devolución',
  SINIESTRADO: 'Siniestrado',
  CANCELADO: 'Cancelado',
} as const;

/** Of findings. */
export const findingKinds = {
  order_unpaid: 'Orden entregada sin pago',
  payout_unexplained: 'Pago con diferencia',
  movement_without_order: 'Venta sin orden',
  fee_charged_twice: 'Cargo repetido',
  withheld_differs: 'Retención distinta de la tasa',
  fee_kept_on_refund: 'Comisión sin devolver',
  orders_without_cfdi: 'Órdenes sin CFDI',
  cfdi_total_differs: 'CFDI con otro total',
  fee_unusual: 'Comisión distinta de lo habitual',
  certificate_differs: 'Constancia con diferencia',
  fee_invoices_differ: 'Facturas de comisiones con diferencia',
} as const;

/** What each kind of finding means, and what to do. */
export const findingMeanings = {
  order_unpaid:
    'La orden se entregó hace más de 30 días y su dinero todavía no aparece liberado en la cuenta. Consulta al marketplace por qué sigue retenido.',
  payout_unexplained:
    'El pago no coincide con la suma de sus movimientos. Abre el pago para ver de qué se compone y pide al marketplace que te aclare la diferencia.',
  movement_without_order:
    'La cuenta recibió una venta que no corresponde a ninguna de tus órdenes. En Conexiones, usa «¿Está todo?» de esa cuenta para traer las órdenes que falten. Si fue un cobro fuera del marketplace, escríbelo en la nota.',
  fee_charged_twice:
    'La orden tiene más cargos iguales que ventas. Pide al marketplace que revise el cargo.',
  withheld_differs:
    'Los impuestos retenidos no corresponden a la tasa vigente ese día según tus datos fiscales. Confírmalos; si están bien, revisa tu constancia de retenciones y pide la aclaración al marketplace.',
  fee_kept_on_refund:
    'La venta se reembolsó completa hace más de una semana y la comisión no se devolvió. Pide al marketplace que te la devuelva.',
  orders_without_cfdi:
    'El mes ya terminó y estas órdenes no tienen un CFDI vinculado. Inclúyelas en tu factura global o vincula su CFDI. «Facturas pendientes» tiene las de todas tus cuentas.',
  cfdi_total_differs:
    'Lo que facturaste no es el total de la orden, o de las órdenes que comparten sus facturas. Abre la orden y sus CFDI: si uno es de otra orden, desvincúlalo; si el total está mal, emite una nota de crédito o cancélalo y factura de nuevo.',
  fee_unusual:
    'La comisión no es la que el marketplace venía cobrando por la misma publicación. Puede deberse a un cambio de tarifa o de categoría. Compárala con la tarifa vigente y, si no corresponde, pide que la revisen.',
  certificate_differs:
    'Lo retenido según las constancias del periodo no es lo que retuvieron tus cuentas. Revisa si falta una constancia, que puedes subir en Facturas, o si una no corresponde.',
  fee_invoices_differ:
    'Lo que te facturaron los marketplaces en el mes no es lo que te cobraron en tus cuentas. Revisa si falta una factura o una nota de crédito; si la tienes, súbela en Facturas, y si no, pídela al marketplace.',
} as const;

/** Of a CFDI, as the SAT has it. */
export const cfdiStatuses = {
  vigente: 'Vigente',
  cancelado: 'Cancelado',
  desconocido: 'Sin consultar',
} as const;

/** What Amazon calls its purses. */
export const purses = {
  'Standard Orders': 'órdenes estándar',
  'Invoiced Orders': 'órdenes con factura',
} as const;

/** The time zones of Mexico. */
export const timezones = {
  'America/Mexico_City': 'Centro (Ciudad de México)',
  'America/Cancun': 'Sureste (Cancún)',
  'America/Hermosillo': 'Pacífico (Hermosillo)',
  'America/Tijuana': 'Noroeste (Tijuana)',
} as const;

/** Of the movements that payouts are made of. */
export const movementKinds = {
  sale: 'Ventas',
  shipping: 'Envíos cobrados al comprador',
  refund: 'Reembolsos',
  commission: 'Comisiones',
  shipping_fee: 'Costo de envíos',
  financing: 'Costo de financiamiento',
  advertising: 'Publicidad',
  other_fee: 'Otros cargos',
  isr: 'ISR retenido',
  iva: 'IVA retenido',
  withheld: 'Impuestos retenidos',
  payout: 'Pagos devueltos',
  other: 'Otros movimientos',
} as const;

/** Of payouts. */
export const settlementStatuses = {
  expected: 'Esperado',
  pending: 'Por pagar',
  paid: 'Pagado',
  failed: 'Rechazado',
  cancelled: 'Cancelado',
} as const;
