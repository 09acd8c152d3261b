import type { TaxDocument } from './xml/record.ts';

/** What a tax document is; `retencion` is a withholding certificate. */
export const CFDI_TYPES = [
  'ingreso',
  'egreso',
  'traslado',
  'pago',
  'nomina',
  'retencion',
  'desconocido',
] as const;
export type CfdiType = (typeof CFDI_TYPES)[number];

/** By the organisation's fiscal profile. */
export const CFDI_DIRECTIONS = ['issued', 'received', 'other'] as const;
export type CfdiDirection = (typeof CFDI_DIRECTIONS)[number];

/** What the SAT says; `desconocido` when it was never asked. */
export const SAT_STATUSES = ['vigente', 'cancelado', 'desconocido'] as const;
export type SatStatus = (typeof SAT_STATUSES)[number];

const TYPES: Readonly<Record<string, CfdiType>> = {
  I: 'ingreso',
  E: 'egreso',
  T: 'traslado',
  P: 'pago',
  N: 'nomina',
};

export function typeOf(record: TaxDocument): CfdiType {
  if (record.kind === 'withholding') return 'retencion';
  return TYPES[record.type] ?? 'desconocido';
}
