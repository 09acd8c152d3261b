/** The tax regimes of the SAT (`c_RegimenFiscal`), each with the persons that may have it. */

export const PERSONS = ['natural', 'legal'] as const;
export type TaxPerson = (typeof PERSONS)[number];

interface Regime {
  readonly code: string;
  readonly name: string;
  readonly persons: readonly TaxPerson[];
}

const NATURAL = ['natural'] as const;
const LEGAL = ['legal'] as const;

export const REGIMES: readonly Regime[] = [
  { code: '601', name: 'General de Ley Personas Morales', persons: LEGAL },
  { code: '603', name: 'Personas Morales con Fines no Lucrativos', persons: LEGAL },
  { code: '605', name: 'Sueldos y Salarios', persons: NATURAL },
  { code: '606', name: 'Arrendamiento', persons: NATURAL },
  { code: '607', name: 'Enajenación o Adquisición de Bienes', persons: NATURAL },
  { code: '608', name: 'Demás ingresos', persons: NATURAL },
  { code: '610', name: 'Residentes en el Extranjero', persons: PERSONS },
  { code: '611', name: 'Ingresos por Dividendos', persons: NATURAL },
  { code: '612', name: 'Actividades Empresariales y Profesionales', persons: NATURAL },
  { code: '614', name: 'Ingresos por intereses', persons: NATURAL },
  { code: '615', name: 'Obtención de premios', persons: NATURAL },
  { code: '616', name: 'Sin obligaciones fiscales', persons: NATURAL },
  { code: '620', name: 'Sociedades Cooperativas de Producción', persons: LEGAL },
  { code: '621', name: 'Incorporación Fiscal', persons: NATURAL },
  {
    code: '622',
    name: 'Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras',
    persons: LEGAL,
  },
  { code: '623', name: 'Opcional para Grupos de Sociedades', persons: LEGAL },
  { code: '624', name: 'Coordinados', persons: LEGAL },
  { code: '625', name: 'Plataformas Tecnológicas', persons: NATURAL },
  { code: '626', name: 'Régimen Simplificado de Confianza (RESICO)', persons: PERSONS },
];
