/** Sentences of the screen of findings. */
import type { Output } from './client.ts';

export type Finding = Output<'findings.list'>['data'][number];

export const findingKinds: Readonly<Record<Finding['kind'], string>> = {
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
};

/** What each kind means, and what to do. */
export const findingMeanings: Readonly<Record<Finding['kind'], string>> = {
  order_unpaid:
    'La orden se entregó hace más de 30 días y su dinero todavía no aparece liberado en la cuenta. Consulta al marketplace por qué sigue retenido.',
  payout_unexplained:
    'El pago no coincide con la suma de sus movimientos. Abre el pago para ver de qué se compone.',
  movement_without_order:
    'La cuenta recibió una venta que no corresponde a ninguna de tus órdenes. Puede ser un cobro fuera del marketplace.',
  fee_charged_twice:
    'La orden tiene más cargos iguales que ventas. Pide al marketplace que revise el cargo.',
  withheld_differs:
    'Los impuestos retenidos no corresponden a la tasa vigente ese día según tu perfil fiscal. Revisa tu constancia de retenciones.',
  fee_kept_on_refund:
    'La venta se reembolsó completa hace más de una semana y la comisión no se devolvió.',
  orders_without_cfdi:
    'El mes ya terminó y estas órdenes no tienen un CFDI ligado. Inclúyelas en tu factura global o liga su CFDI.',
  cfdi_total_differs: 'El total del CFDI ligado no es el de la orden.',
  fee_unusual:
    'La comisión no es la que el marketplace venía cobrando por la misma publicación. Puede deberse a un cambio de tarifa o de categoría.',
  certificate_differs:
    'Lo retenido según las constancias del periodo no es lo que retuvieron tus cuentas. Revisa si falta una constancia o si una no corresponde.',
  fee_invoices_differ:
    'Lo que te facturaron los marketplaces en el mes no es lo que te cobraron en tus cuentas. Revisa si falta una factura o una nota de crédito.',
};

export const findingStates: Readonly<Record<Finding['state'], string>> = {
  open: 'Abiertos',
  explained: 'Explicados',
  resolved: 'Resueltos',
};

export const findingWords = {
  title: 'Hallazgos',
  one: 'Hallazgo',
  intro:
    'Lo que no cuadra entre tus órdenes, los movimientos de tus cuentas, tus pagos y tus CFDI.',
  states: 'Estado de los hallazgos',
  count: (count: string, hasMore: boolean) =>
    `${count}${hasMore ? '+' : ''} ${count === '1' && !hasMore ? 'hallazgo' : 'hallazgos'}`,
  empty: {
    open: 'No hay hallazgos abiertos. Revisamos tus cuentas cada vez que llegan sus movimientos.',
    explained: 'No has explicado ningún hallazgo.',
    resolved: 'Ningún hallazgo se ha resuelto todavía.',
  } satisfies Record<Finding['state'], string>,
  kind: 'Hallazgo',
  since: 'Desde',
  subject: 'De qué trata',
  movement: 'Movimiento',
  amount: 'Por aclarar',
  expected: 'Se esperaba',
  account: 'Cuenta',
  note: 'Nota',
  noteHint:
    'Escribe por qué es así. Con una nota pasa a Explicados; si la borras vuelve a Abiertos.',
  save: 'Guardar nota',
  saved: 'Nota guardada.',
  moved: {
    open: 'Se quitó la nota. El hallazgo está en Abiertos.',
    explained: 'Nota guardada. El hallazgo está en Explicados.',
    resolved: 'Nota guardada. El hallazgo está en Resueltos.',
  } satisfies Record<Finding['state'], string>,
  seeMoved: 'Ver esa lista',
  openOrder: 'Ver la orden',
  openPayout: 'Ver el pago',
  openPeriod: 'Ver el periodo',
  openInvoices: 'Ver las facturas recibidas',
  openUninvoiced: 'Ver las facturas pendientes',
  severalMarketplaces: 'Varios',
};
