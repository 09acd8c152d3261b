/** Sentences of the screen of withheld taxes. */
import type { Output } from './client.ts';

export type WithheldPeriod = Output<'withheld.list'>['data'][number];

interface Taxes {
  readonly isr: number;
  readonly iva: number;
  readonly unnamed: number;
}

export const withheldWords = {
  title: 'Impuestos retenidos',
  intro:
    'Lo que los marketplaces te retuvieron de ISR e IVA según los movimientos de tus cuentas, junto a tus constancias de retenciones.',
  empty:
    'No hay impuestos retenidos. Aparecen cuando un marketplace informa sus retenciones o cuando subes una constancia en Facturas.',
  period: 'Periodo',
  ledger: 'Según movimientos',
  certified: 'Según constancias',
  difference: 'Diferencia',
  covered: 'En una de varios meses',
  noCertificate: 'Sin constancia',
  uploadOne: 'Subir su XML en Facturas',
  matched: 'Coincide',
  isr: 'ISR',
  iva: 'IVA',
  base: 'Base',
  taxes: ({ isr, iva, unnamed }: Taxes): [string, number][] => [
    ['ISR', isr],
    ['IVA', iva],
    ['Sin desglosar', unnamed],
  ],
  byMarketplace: 'Por marketplace',
  certificates: 'Constancias',
  detail: 'Ver detalle',
  hide: 'Ocultar detalle',
  of: (marketplace: string) => `de ${marketplace}`,
  noLines: 'No hay movimientos de este periodo.',
  noOrder: 'Sin orden',
  more: 'Ver más',
  noMovements: 'Los movimientos de tus cuentas no informan retenciones de este periodo.',
};

const MONTH = new Intl.DateTimeFormat('es-MX', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** «octubre de 2026», or the first and the last month. */
export function periodText(period: string): string {
  return period
    .split('/')
    .map((month) => MONTH.format(new Date(`${month}-01T00:00:00Z`)))
    .join(' a ');
}
