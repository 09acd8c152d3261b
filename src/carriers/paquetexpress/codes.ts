import { inTable } from '../../platform/word-table.ts';
import type { ShipmentCategory } from '../contract.ts';

interface CodeRow {
  /** In Spanish, as the seller reads it. */
  readonly title: string;
  readonly category: ShipmentCategory;
  /** Position among the five steps of the specification; only among these it breaks a tie. */
  readonly rank?: number;
  /** No further event is expected, unless the carrier reverts it. */
  readonly isFinal?: true;
}

/** The official list 4.5, and two codes that only the specification has: EAD and ENT. */
export const CODES: Readonly<Record<string, CodeRow>> = {
  SWB: { title: 'Documentada', category: 'PREPARACION', rank: 1 },
  HCM: { title: 'Recolección realizada', category: 'EN_TRANSITO' },
  HCA: { title: 'En almacén de origen', category: 'EN_TRANSITO', rank: 2 },
  TRN: { title: 'En tránsito', category: 'EN_TRANSITO', rank: 3 },
  WHU: { title: 'Recibida en sucursal', category: 'EN_TRANSITO' },
  EAD: { title: 'En la agencia de destino', category: 'EN_TRANSITO', rank: 4 },
  HTC: { title: 'En ruta de entrega', category: 'EN_TRANSITO' },
  OTN: { title: 'Entregada a operador logístico', category: 'EN_TRANSITO' },
  REO: { title: 'Retenida en ocurre', category: 'EN_TRANSITO' },
  RGS: { title: 'Reexpedida', category: 'EN_TRANSITO' },
  ENT: { title: 'Entregada', category: 'ENTREGADO', rank: 5, isFinal: true },
  HDC: { title: 'Entregada a domicilio', category: 'ENTREGADO', isFinal: true },
  BDL: { title: 'Entregada en sucursal', category: 'ENTREGADO', isFinal: true },
  HCE: { title: 'Entrega revertida', category: 'INCIDENCIA' },
  CBD: { title: 'Entrega en sucursal revertida', category: 'INCIDENCIA' },
  HDR: { title: 'No entregada', category: 'INCIDENCIA' },
  HNR: { title: 'Recolección no realizada', category: 'INCIDENCIA' },
  NRC: { title: 'No recibida', category: 'INCIDENCIA' },
  EXL: { title: 'Con excepción', category: 'INCIDENCIA' },
  RGR: { title: 'Devolución solicitada', category: 'DEVOLUCION' },
  CWB: { title: 'Guía cancelada', category: 'CANCELADO', isFinal: true },
  CBK: { title: 'Guía cancelada', category: 'CANCELADO', isFinal: true },
  CGS: { title: 'Guía cancelada', category: 'CANCELADO', isFinal: true },
  EOP: { title: 'Guía cancelada', category: 'CANCELADO', isFinal: true },
  ERS: { title: 'Guía cancelada', category: 'CANCELADO', isFinal: true },
  SIN: { title: 'Siniestrada', category: 'SINIESTRADO', isFinal: true },
  CLS: { title: 'Extraviada', category: 'SINIESTRADO', isFinal: true },
  CDG: { title: 'Dañada', category: 'SINIESTRADO', isFinal: true },
  DEC: { title: 'Decomisada', category: 'SINIESTRADO', isFinal: true },
};

/** @returns null for a code that we do not know */
export function categoryOf(code: string): ShipmentCategory | null {
  return inTable(CODES, code)?.category ?? null;
}

export function isFinalCode(code: string): boolean {
  return inTable(CODES, code)?.isFinal === true;
}

/** @returns null where the order of two codes is unknown */
export function rankOf(code: string): number | null {
  return inTable(CODES, code)?.rank ?? null;
}
