/** Sentences of the screen of findings. */
import * as codes from '../../src/words/codes.ts';
import type { Output } from './client.ts';

export type Finding = Output<'findings.list'>['data'][number];

export const findingKinds: Readonly<Record<Finding['kind'], string>> = codes.findingKinds;

/** What each kind means, and what to do. */
export const findingMeanings: Readonly<Record<Finding['kind'], string>> = codes.findingMeanings;

export const findingStates: Readonly<Record<Finding['state'], string>> = {
  open: 'Abiertos',
  explained: 'Explicados',
  resolved: 'Resueltos',
};

export const findingWords = {
  title: 'Hallazgos',
  one: 'Hallazgo',
  missing: 'Este hallazgo ya no existe, o es de otra organización.',
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
  openConnections: 'Ir a Conexiones',
  openSettings: 'Ver tus datos fiscales',
  severalMarketplaces: 'Varios',
};
